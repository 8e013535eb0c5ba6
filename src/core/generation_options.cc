#include "core/generation_options.h"

#include <string_view>

#include "core/error.h"

namespace memsizer {
namespace {

constexpr int64_t kMaxBeam = 1000;
constexpr double kMaxLengthPenalty = 10.0;
constexpr double kMaxUnkPenalty = 1e6;
constexpr double kMaxRepetitionPenalty = 100.0;
constexpr int64_t kMaxTopK = int64_t{1} << 31;
// A longer n-gram than this never comes twice in practice: the option was meant for something else.
constexpr int64_t kLongestNgram = 1000;
// Within these, a logit divided by the temperature stays far from the ends of float.
constexpr double kMinTemperature = 1e-6;
constexpr double kMaxTemperature = 1e6;
constexpr double kMaxRatio = 1000.0;
constexpr int64_t kMaxSourceTokens = int64_t{1} << 30;

}  // namespace

void validate(const GenerationOptions& options, const std::string& prefix) {
  const auto require_range = [&](std::string_view field, auto value, decltype(value) low,
                                 decltype(value) high) {
    // Written so that NaN is refused.
    if (value >= low && value <= high) return;
    throw UserError("{}.{} is {}; it must be from {} to {}", prefix, field, value, low, high);
  };
  require_range("beam", options.beam, 1, kMaxBeam);
  require_range("n_best", options.n_best, 1, options.beam);
  require_range("length_penalty", options.length_penalty, -kMaxLengthPenalty, kMaxLengthPenalty);
  require_range("unk_penalty", options.unk_penalty, -kMaxUnkPenalty, kMaxUnkPenalty);
  require_range("temperature", options.temperature, kMinTemperature, kMaxTemperature);
  require_range("top_k", options.top_k, 0, kMaxTopK);
  if (!(options.top_p > 0.0 && options.top_p <= 1.0)) {
    throw UserError("{}.top_p is {}; it must be above 0 and at most 1", prefix, options.top_p);
  }
  require_range("repetition_penalty", options.repetition_penalty, 1.0 / kMaxRepetitionPenalty,
                kMaxRepetitionPenalty);
  require_range("max_length_ratio", options.max_length_ratio, 0.0, kMaxRatio);
  require_range("max_length", options.max_length, 0, kLongestOutput);
  require_range("min_length", options.min_length, 0, kLongestOutput);
  if (options.max_length_ratio == 0.0 && options.max_length == 0) {
    throw UserError("{0}.max_length is 0 and so is {0}.max_length_ratio; one of them must be above 0",
                    prefix);
  }
  const int64_t ngram = options.no_repeat_ngram;
  if (ngram != 0 && (ngram < 2 || ngram > kLongestNgram)) {
    // The end token comes before the first one too, so that 1 would forbid every ending.
    throw UserError("{}.no_repeat_ngram is {}; it must be 0 (off) or from 2 to {}", prefix, ngram,
                    kLongestNgram);
  }
  require_range("max_source_tokens", options.max_source_tokens, 1, kMaxSourceTokens);
}

}  // namespace memsizer
