#include "metrics/rouge_155.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "metrics/corpus_check.h"
#include "metrics/rouge_hits.h"

namespace memsizer::metrics {
namespace {

// The script lowers ASCII only; all else separates words anyway.
std::string ascii_lowercase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return text;
}

// The script rounds by printing and goes on with what it printed.
double five_digits(double value) {
  const std::string text = fmt::format("{:.5f}", value);
  double rounded = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

double ratio(int64_t hits, int64_t total) {
  return total == 0 ? 0.0 : five_digits(static_cast<double>(hits) / static_cast<double>(total));
}

RougeValue value_of(const RougeHits& counts) {
  RougeValue value;
  value.precision = ratio(counts.hits, counts.hypothesis);
  value.recall = ratio(counts.hits, counts.reference);
  const double mean = 0.5 * value.precision + 0.5 * value.recall;
  if (mean > 0.0) value.f1 = five_digits(value.precision * value.recall / mean);
  return value;
}

void add(RougeValue& sum, const RougeValue& value, double weight) {
  sum.precision += value.precision * weight;
  sum.recall += value.recall * weight;
  sum.f1 += value.f1 * weight;
}

}  // namespace

Rouge155Score rouge_155(const std::string& hypothesis, const std::string& reference,
                        const RougeOptions& options) {
  const RougePair pair(ascii_lowercase(hypothesis), ascii_lowercase(reference),
                       options.stemmer ? std::optional(PorterVariant::Rouge155) : std::nullopt);
  return {.rouge1 = value_of(pair.ngrams(1)),
          .rouge2 = value_of(pair.ngrams(2)),
          .rouge_l = value_of(pair.summary_lcs())};
}

Rouge155Score corpus_rouge_155(std::span<const std::string> hypotheses,
                               std::span<const std::string> references, const RougeOptions& options) {
  check_lines(hypotheses.size(), references.size());
  const double weight = 1.0 / static_cast<double>(hypotheses.size());
  Rouge155Score mean;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Rouge155Score score = rouge_155(hypotheses[i], references[i], options);
    add(mean.rouge1, score.rouge1, weight);
    add(mean.rouge2, score.rouge2, weight);
    add(mean.rouge_l, score.rouge_l, weight);
  }
  return mean;
}

std::string split_sentences(const std::string& summary) {
  constexpr std::string_view kEnd = " . ";
  std::string split = summary;
  for (size_t at = split.find(kEnd); at != std::string::npos; at = split.find(kEnd, at + kEnd.size())) {
    split[at + 2] = '\n';
  }
  return split;
}

}  // namespace memsizer::metrics
