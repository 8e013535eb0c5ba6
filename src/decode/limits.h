#pragma once

#include <cstdint>
#include <span>

namespace memsizer::decode {

// The longest output without its end token: int(ratio * source_length + extra), and less than max_positions
// unless that is 0; kLongestOutput at most.
int64_t longest_output(double ratio, int64_t extra, int64_t source_length, int64_t max_positions);

// Throws UserError if the vocabulary lacks the special tokens, the start token or one of `prefix`.
void require_tokens(int64_t vocab, int32_t start_token, std::span<const int32_t> prefix);

}  // namespace memsizer::decode
