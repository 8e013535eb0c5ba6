#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/work.h"
#include "text/batches.h"

// How likely a model finds text that is there already.
namespace memsizer::engine {

// Told how many tokens (or pairs) are done.
using OnDone = std::function<void(int64_t done)>;

// A language model's log-probability of each token of a stream, in order, of windows that score each token
// once (text::evaluation_blocks). Each window starts anew, as in training.
std::vector<double> stream_likelihood(const runtime::Model& model, runtime::Work& work,
                                      std::span<const int32_t> stream,
                                      std::span<const text::StreamBlock> windows,
                                      const OnDone& on_done = nullptr);

// The log-probability of each target, given its source; both with their end tokens.
std::vector<double> target_likelihood(const runtime::Model& model, runtime::Work& work,
                                      std::span<const std::span<const int32_t>> sources,
                                      std::span<const std::span<const int32_t>> targets,
                                      const OnDone& on_done = nullptr);

}  // namespace memsizer::engine
