#include "decode/limits.h"

#include <algorithm>
#include <stdexcept>

#include "core/error.h"
#include "core/generation_options.h"
#include "core/special_tokens.h"

namespace memsizer::decode {

int64_t longest_output(double ratio, int64_t extra, int64_t source_length, int64_t max_positions) {
  if (source_length < 0 || max_positions < 0) {
    throw std::invalid_argument("longest_output: lengths and positions cannot be below 0");
  }
  const double longest = ratio * static_cast<double>(source_length) + static_cast<double>(extra);
  const auto whole = static_cast<int64_t>(std::min(longest, static_cast<double>(kLongestOutput)));
  return max_positions == 0 ? whole : std::min(whole, max_positions - 1);
}

void require_tokens(int64_t vocab, int32_t start_token, std::span<const int32_t> prefix) {
  if (vocab <= kUnk || vocab > INT32_MAX) {
    throw UserError("the model's vocabulary has {} tokens; generation needs from {} to {}", vocab, kUnk + 1,
                    INT32_MAX);
  }
  if (start_token < 0 || start_token >= vocab)
    throw UserError("the start token is {}; the vocabulary has tokens 0 to {}", start_token, vocab - 1);
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (prefix[i] >= 0 && prefix[i] < vocab) continue;
    throw UserError("token {} of the forced prefix is {}; the vocabulary has tokens 0 to {}", i, prefix[i],
                    vocab - 1);
  }
}

}  // namespace memsizer::decode
