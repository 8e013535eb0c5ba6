#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/work.h"

// How likely a model finds text that is there already.
namespace memsizer::engine {

struct TokenLikelihood {
  float log_probability = 0.0F;
  int32_t context = 0;  // tokens of its window that come before it
};

// Told how many tokens (or pairs) are done.
using OnDone = std::function<void(int64_t done)>;

// A language model's log-probability of each token of a stream, in order. Windows of `window` tokens, of
// which the first `context` have been scored by the window before; each starts anew, as in training.
// context 0 is the plain protocol: windows side by side.
std::vector<TokenLikelihood> stream_likelihood(const runtime::Model& model, runtime::Work& work,
                                               std::span<const int32_t> stream, int64_t window,
                                               int64_t context, const OnDone& on_done = nullptr);

// The log-probability of each target, given its source; both with their end tokens.
std::vector<double> target_likelihood(const runtime::Model& model, runtime::Work& work,
                                      const std::vector<std::vector<int32_t>>& sources,
                                      const std::vector<std::vector<int32_t>>& targets,
                                      const OnDone& on_done = nullptr);

}  // namespace memsizer::engine
