#include "metrics/rouge.h"

#include <optional>

#include "metrics/corpus_check.h"
#include "metrics/rouge_hits.h"
#include "metrics/unicode.h"

namespace memsizer::metrics {
namespace {

double ratio(int64_t hits, int64_t total) {
  return total == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(total);
}

RougeValue value_of(const RougeHits& counts) {
  RougeValue value;
  value.precision = ratio(counts.hits, counts.hypothesis);
  value.recall = ratio(counts.hits, counts.reference);
  const double sum = value.precision + value.recall;
  if (sum > 0.0) value.f1 = 2.0 * value.precision * value.recall / sum;
  return value;
}

void add(RougeValue& sum, const RougeValue& value) {
  sum.precision += value.precision;
  sum.recall += value.recall;
  sum.f1 += value.f1;
}

void divide(RougeValue& sum, double count) {
  sum.precision /= count;
  sum.recall /= count;
  sum.f1 /= count;
}

}  // namespace

RougeScore rouge(const std::string& hypothesis, const std::string& reference, const RougeOptions& options) {
  const RougePair pair(lowercase(hypothesis), lowercase(reference),
                       options.stemmer ? std::optional(PorterVariant::Nltk) : std::nullopt);
  return {.rouge1 = value_of(pair.ngrams(1)),
          .rouge2 = value_of(pair.ngrams(2)),
          .rouge_l = value_of(pair.lcs()),
          .rouge_l_sum = value_of(pair.summary_lcs())};
}

RougeScore corpus_rouge(std::span<const std::string> hypotheses, std::span<const std::string> references,
                        const RougeOptions& options) {
  check_lines(hypotheses.size(), references.size());
  RougeScore mean;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const RougeScore score = rouge(hypotheses[i], references[i], options);
    add(mean.rouge1, score.rouge1);
    add(mean.rouge2, score.rouge2);
    add(mean.rouge_l, score.rouge_l);
    add(mean.rouge_l_sum, score.rouge_l_sum);
  }
  const auto count = static_cast<double>(hypotheses.size());
  for (RougeValue* value : {&mean.rouge1, &mean.rouge2, &mean.rouge_l, &mean.rouge_l_sum}) {
    divide(*value, count);
  }
  return mean;
}

}  // namespace memsizer::metrics
