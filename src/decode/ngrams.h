#pragma once

#include <cstdint>
#include <span>

namespace memsizer::decode {

// Makes the logits of `row` [vocab] -inf for every token that would complete an n-gram which `history` holds
// already. The history starts with the start token, which counts. n >= 2.
void ban_repeated_ngrams(std::span<const int32_t> history, int64_t n, std::span<float> row);

}  // namespace memsizer::decode
