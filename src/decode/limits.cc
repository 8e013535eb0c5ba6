#include "decode/limits.h"

#include <algorithm>
#include <stdexcept>

#include "core/error.h"
#include "core/special_tokens.h"

namespace memsizer::decode {
namespace {

// A longer n-gram than this never comes twice in practice: the option was meant for something else.
constexpr int64_t kLongestNgram = 1000;
// Within these, a logit divided by the temperature stays far from the ends of float.
constexpr double kMinTemperature = 1e-6;
constexpr double kMaxTemperature = 1e6;
constexpr double kMaxRatio = 1000.0;

}  // namespace

int64_t longest_output(double ratio, int64_t extra, int64_t source_length, int64_t max_positions) {
  if (source_length < 0 || max_positions < 0) {
    throw std::invalid_argument("longest_output: lengths and positions cannot be below 0");
  }
  const double longest = ratio * static_cast<double>(source_length) + static_cast<double>(extra);
  const auto whole = static_cast<int64_t>(std::min(longest, static_cast<double>(kLongestOutput)));
  return max_positions == 0 ? whole : std::min(whole, max_positions - 1);
}

void require_tokens(int64_t vocab, std::span<const int32_t> prefix) {
  if (vocab <= kUnk || vocab > INT32_MAX) {
    throw UserError("the model's vocabulary has {} tokens; generation needs from {} to {}", vocab, kUnk + 1,
                    INT32_MAX);
  }
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (prefix[i] >= 0 && prefix[i] < vocab) continue;
    throw UserError("token {} of the forced prefix is {}; the vocabulary has tokens 0 to {}", i, prefix[i],
                    vocab - 1);
  }
}

void require_range(const std::string& prefix, std::string_view field, int64_t value, int64_t low,
                   int64_t high) {
  if (value >= low && value <= high) return;
  throw UserError("{}.{} is {}; it must be from {} to {}", prefix, field, value, low, high);
}

void require_range(const std::string& prefix, std::string_view field, double value, double low, double high) {
  if (value >= low && value <= high) return;
  throw UserError("{}.{} is {}; it must be from {} to {}", prefix, field, value, low, high);
}

void require_ngram(const std::string& prefix, int64_t value) {
  if (value == 0 || (value >= 2 && value <= kLongestNgram)) return;
  // The end token stands before the first one too, so that 1 would forbid every ending.
  throw UserError("{}.no_repeat_ngram is {}; it must be 0 (off) or from 2 to {}", prefix, value,
                  kLongestNgram);
}

void require_temperature(const std::string& prefix, double value) {
  require_range(prefix, "temperature", value, kMinTemperature, kMaxTemperature);
}

void require_lengths(const std::string& prefix, double ratio, int64_t max_length, int64_t min_length) {
  require_range(prefix, "max_length_ratio", ratio, 0.0, kMaxRatio);
  require_range(prefix, "max_length", max_length, 0, kLongestOutput);
  require_range(prefix, "min_length", min_length, 0, kLongestOutput);
  if (ratio == 0.0 && max_length == 0) {
    throw UserError("{0}.max_length is 0 and so is {0}.max_length_ratio; one of them must be above 0",
                    prefix);
  }
}

}  // namespace memsizer::decode
