#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decode/generate.h"
#include "decode/hash_model.h"

namespace memsizer::decode::testing {

// Log-softmax of logits / temperature.
using LogSoftmax = std::function<std::vector<float>(std::span<const float>, double)>;

// In double precision, as a textbook writes it. NaN counts as -inf; infinite logits are not for it.
std::vector<float> plain_log_softmax(std::span<const float> logits, double temperature);

// The search of one sentence, step by step as the specification puts it: every candidate is scored and all
// are sorted.
std::vector<Hypothesis> reference_search(const HashLogits& logits, uint64_t sentence, const Request& request,
                                         const GenerationOptions& options, int64_t max_positions,
                                         const LogSoftmax& log_softmax);

}  // namespace memsizer::decode::testing
