#include "metrics/bleu_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "metrics/bleu_tokenizers.h"
#include "metrics/corpus_check.h"

namespace memsizer::metrics {
namespace {

constexpr size_t kMaxOrder = 4;
// sacreBLEU's logarithm of zero: far enough down that any power of it is zero.
constexpr double kLogOfZero = -9999999999.0;

double floored_log(double value) {
  return value == 0.0 ? kLogOfZero : std::log(value);
}

double brevity_penalty(int64_t hypothesis_length, int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1.0;
  if (hypothesis_length == 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  for (size_t i = 0; i < kMaxOrder; ++i) {
    matches[i] += other.matches[i];
    totals[i] += other.totals[i];
  }
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  return *this;
}

BleuStatistics SegmentMatcher::compare(std::span<const std::string_view> hypothesis,
                                       std::span<const std::span<const std::string_view>> references) {
  BleuStatistics statistics;
  statistics.hypothesis_length = static_cast<int64_t>(hypothesis.size());
  ids_.clear();
  ngrams_.clear();
  int64_t nearest = -1;
  for (const std::span<const std::string_view> reference : references) {
    ngrams_.add_reference(ids_.add(reference));
    const auto length = static_cast<int64_t>(reference.size());
    const int64_t distance = std::abs(length - statistics.hypothesis_length);
    if (nearest < 0 || distance < nearest || (distance == nearest && length < statistics.reference_length)) {
      nearest = distance;
      statistics.reference_length = length;
    }
  }
  ngrams_.match(ids_.find(hypothesis), statistics.matches);
  for (size_t i = 0; i < kMaxOrder; ++i) statistics.totals[i] = ngram_total(hypothesis.size(), i + 1);
  return statistics;
}

void for_each_segment(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options,
                      const std::function<void(const BleuStatistics&)>& visit) {
  check_corpus(hypotheses, references);
  LineTokenizer hypothesis_tokenizer(options.tokenizer, options.lowercase);
  std::vector<LineTokenizer> reference_tokenizers(references.size(), hypothesis_tokenizer);
  std::vector<std::span<const std::string_view>> reference_tokens(references.size());
  SegmentMatcher matcher;
  for (size_t line = 0; line < hypotheses.size(); ++line) {
    for (size_t r = 0; r < references.size(); ++r) {
      reference_tokens[r] = reference_tokenizers[r].tokens(references[r][line]);
    }
    visit(matcher.compare(hypothesis_tokenizer.tokens(hypotheses[line]), reference_tokens));
  }
}

double smoothing_value(const BleuOptions& options) {
  if (!(options.smoothing_value >= 0.0) || std::isinf(options.smoothing_value)) {
    throw UserError("found a BLEU smoothing value of {}; it must be 0 (the default of the method) or more",
                    options.smoothing_value);
  }
  if (options.smoothing_value > 0.0) return options.smoothing_value;
  return options.smoothing == BleuSmoothing::Floor ? 0.1 : 1.0;
}

BleuScore bleu_score(const BleuStatistics& statistics, const BleuOptions& options) {
  const double value = smoothing_value(options);
  BleuScore score;
  score.matches = statistics.matches;
  score.totals = statistics.totals;
  score.hypothesis_length = statistics.hypothesis_length;
  score.reference_length = statistics.reference_length;
  score.brevity_penalty = brevity_penalty(score.hypothesis_length, score.reference_length);
  // Without this, smoothing would give credit to a corpus that has none.
  if (std::all_of(score.matches.begin(), score.matches.end(), [](int64_t count) { return count == 0; })) {
    return score;
  }
  double zeros = 1.0;
  size_t effective_order = kMaxOrder;
  for (size_t i = 0; i < kMaxOrder; ++i) {
    const double added = options.smoothing == BleuSmoothing::AddK && i > 0 ? value : 0.0;
    const double matches = static_cast<double>(score.matches[i]) + added;
    const double total = static_cast<double>(score.totals[i]) + added;
    if (total == 0.0) break;
    if (options.effective_order) effective_order = i + 1;
    if (matches > 0.0) {
      score.precisions[i] = 100.0 * matches / total;
    } else if (options.smoothing == BleuSmoothing::Exp) {
      zeros *= 2.0;
      score.precisions[i] = 100.0 / (zeros * total);
    } else if (options.smoothing == BleuSmoothing::Floor) {
      score.precisions[i] = 100.0 * value / total;
    }
  }
  double log_sum = 0.0;
  for (size_t i = 0; i < effective_order; ++i) log_sum += floored_log(score.precisions[i]);
  score.score = score.brevity_penalty * std::exp(log_sum / static_cast<double>(effective_order));
  return score;
}

}  // namespace memsizer::metrics
