#include "cli/text_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "core/error.h"
#include "core/names.h"
#include "metrics/bleu.h"
#include "metrics/bleu_tokenizers.h"
#include "metrics/chrf.h"
#include "metrics/rouge.h"
#include "metrics/rouge_155.h"
#include "metrics/significance.h"
#include "text/line_reader.h"

namespace memsizer::cli {
namespace {

// The value that goes with a name in a list of both.
template <typename Value>
Value named(const std::string& name, const std::string& what,
            const std::vector<std::pair<std::string, Value>>& known) {
  std::vector<std::string> names;
  for (const auto& [key, value] : known) {
    if (key == name) return value;
    names.push_back(key);
  }
  throw UserError("{} '{}' is not known{}; known are {}", what, name, did_you_mean(name, names),
                  fmt::join(names, ", "));
}

metrics::BleuOptions bleu_options(const MetricOptions& settings) {
  using metrics::BleuSmoothing;
  using metrics::BleuTokenizer;
  metrics::BleuOptions options;
  options.tokenizer = named<BleuTokenizer>(settings.tokenizer, "tokenizer",
                                           {{"13a", BleuTokenizer::V13a},
                                            {"intl", BleuTokenizer::Intl},
                                            {"zh", BleuTokenizer::Zh},
                                            {"char", BleuTokenizer::Char},
                                            {"none", BleuTokenizer::None}});
  options.smoothing = named<BleuSmoothing>(settings.smoothing, "smoothing",
                                           {{"exp", BleuSmoothing::Exp},
                                            {"floor", BleuSmoothing::Floor},
                                            {"add-k", BleuSmoothing::AddK},
                                            {"none", BleuSmoothing::None}});
  options.smoothing_value = settings.smoothing_value;
  options.lowercase = settings.lowercase;
  return options;
}

metrics::ChrfOptions chrf_options(const MetricOptions& settings, int64_t word_order) {
  metrics::ChrfOptions options;
  options.word_order = word_order;
  options.lowercase = settings.lowercase;
  return options;
}

std::string significance_line(const std::string& metric, const metrics::PairedBootstrap& pair) {
  const auto estimate = [](const metrics::BootstrapEstimate& e) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", e.score, e.low, e.high);
  };
  return fmt::format("\n{} of the baseline {}, of the input {}, p = {:.4f}", metric, estimate(pair.baseline),
                     estimate(pair.system), pair.p_value);
}

nlohmann::json significance_json(const metrics::PairedBootstrap& pair) {
  const auto estimate = [](const metrics::BootstrapEstimate& e) {
    return nlohmann::json{{"score", e.score}, {"mean", e.mean}, {"low", e.low}, {"high", e.high}};
  };
  return {{"baseline", estimate(pair.baseline)}, {"input", estimate(pair.system)}, {"p_value", pair.p_value}};
}

metrics::BootstrapOptions bootstrap_options(const MetricOptions& settings) {
  return {.samples = settings.samples, .seed = static_cast<uint64_t>(settings.seed)};
}

Scored score_bleu(const MetricOptions& settings, const ScoredTexts& texts) {
  const metrics::BleuOptions options = bleu_options(settings);
  const metrics::BleuScore score = metrics::bleu(texts.hypotheses, texts.references, options);
  const std::string signature = metrics::signature(options, texts.references.size());
  Scored result{fmt::format("{}\n{}", metrics::format_bleu(score), signature),
                {{"BLEU", score.score}},
                {{"score", score.score},
                 {"precisions", score.precisions},
                 {"brevity_penalty", score.brevity_penalty},
                 {"hypothesis_length", score.hypothesis_length},
                 {"reference_length", score.reference_length},
                 {"signature", signature}}};
  if (!texts.baseline.empty()) {
    const auto pair = metrics::paired_bootstrap_bleu(texts.baseline, texts.hypotheses, texts.references,
                                                     options, bootstrap_options(settings));
    result.line += significance_line("BLEU", pair);
    result.json["significance"] = significance_json(pair);
  }
  return result;
}

Scored score_multi_bleu(const MetricOptions& /*options*/, const ScoredTexts& texts) {
  const metrics::BleuScore score = metrics::multi_bleu(texts.hypotheses, texts.references);
  return {metrics::format_multi_bleu(score),
          {{"multi-bleu", score.score}},
          {{"score", score.score}, {"precisions", score.precisions}}};
}

Scored score_chrf_order(const MetricOptions& settings, const ScoredTexts& texts, int64_t word_order,
                        const std::string& name) {
  const metrics::ChrfOptions options = chrf_options(settings, word_order);
  const double score = metrics::chrf(texts.hypotheses, texts.references, options);
  Scored result{fmt::format("{} = {:.2f}", name, score), {{name, score}}, {{"score", score}}};
  if (!texts.baseline.empty()) {
    const auto pair = metrics::paired_bootstrap_chrf(texts.baseline, texts.hypotheses, texts.references,
                                                     options, bootstrap_options(settings));
    result.line += significance_line(name, pair);
    result.json["significance"] = significance_json(pair);
  }
  return result;
}

Scored score_chrf(const MetricOptions& settings, const ScoredTexts& texts) {
  return score_chrf_order(settings, texts, 0, "chrF2");
}

Scored score_chrf_plus_plus(const MetricOptions& settings, const ScoredTexts& texts) {
  return score_chrf_order(settings, texts, 2, "chrF2++");
}

nlohmann::json rouge_json(const metrics::RougeValue& value) {
  return {{"precision", value.precision}, {"recall", value.recall}, {"f1", value.f1}};
}

template <typename Score>
std::vector<std::pair<std::string, double>> rouge_values(const Score& score) {
  return {{"ROUGE-1", 100.0 * score.rouge1.f1},
          {"ROUGE-2", 100.0 * score.rouge2.f1},
          {"ROUGE-L", 100.0 * score.rouge_l.f1}};
}

const Lines& only_reference(const ScoredTexts& texts, const char* metric) {
  if (texts.references.size() == 1) return texts.references.front();
  throw UserError("{} takes one reference file, found {}; score against each alone", metric,
                  texts.references.size());
}

Scored score_rouge(const MetricOptions& settings, const ScoredTexts& texts) {
  const metrics::RougeScore score =
      metrics::corpus_rouge(texts.hypotheses, only_reference(texts, "rouge"), {.stemmer = settings.stemmer});
  return {fmt::format("ROUGE-1 = {:.2f} ROUGE-2 = {:.2f} ROUGE-L = {:.2f} ROUGE-Lsum = {:.2f} (F1{})",
                      100.0 * score.rouge1.f1, 100.0 * score.rouge2.f1, 100.0 * score.rouge_l.f1,
                      100.0 * score.rouge_l_sum.f1, settings.stemmer ? ", stemmed" : ""),
          rouge_values(score),
          {{"rouge1", rouge_json(score.rouge1)},
           {"rouge2", rouge_json(score.rouge2)},
           {"rougeL", rouge_json(score.rouge_l)},
           {"rougeLsum", rouge_json(score.rouge_l_sum)}}};
}

Scored score_rouge_155(const MetricOptions& settings, const ScoredTexts& texts) {
  // Sentences on lines of their own, as files2rouge hands them to the script.
  const auto split = [](const Lines& lines) {
    Lines result;
    for (const std::string& line : lines) result.push_back(metrics::split_sentences(line));
    return result;
  };
  const metrics::Rouge155Score score = metrics::corpus_rouge_155(
      split(texts.hypotheses), split(only_reference(texts, "rouge-1.5.5")), {.stemmer = settings.stemmer});
  return {fmt::format("ROUGE-1.5.5: ROUGE-1 = {:.2f} ROUGE-2 = {:.2f} ROUGE-L = {:.2f} (F1{})",
                      100.0 * score.rouge1.f1, 100.0 * score.rouge2.f1, 100.0 * score.rouge_l.f1,
                      settings.stemmer ? ", stemmed" : ""),
          rouge_values(score),
          {{"rouge1", rouge_json(score.rouge1)},
           {"rouge2", rouge_json(score.rouge2)},
           {"rougeL", rouge_json(score.rouge_l)}}};
}

using Metric = Scored (*)(const MetricOptions&, const ScoredTexts&);

Metric metric_of(const std::string& name) {
  return named<Metric>(name, "metric",
                       {{"bleu", score_bleu},
                        {"multi-bleu", score_multi_bleu},
                        {"chrf", score_chrf},
                        {"chrf++", score_chrf_plus_plus},
                        {"rouge", score_rouge},
                        {"rouge-1.5.5", score_rouge_155}});
}

}  // namespace

void add_metric_options(CLI::App& command, MetricOptions& options) {
  command.add_option("--tokenizer", options.tokenizer, "of BLEU: 13a, intl, zh, char, none")
      ->capture_default_str();
  command.add_option("--smoothing", options.smoothing, "of BLEU: exp, floor, add-k, none")
      ->capture_default_str();
  command.add_option("--smoothing-value", options.smoothing_value, "of floor (0.1) and add-k (1)");
  command.add_flag("--lowercase", options.lowercase, "BLEU and chrF without regard to case");
}

void check_metrics(const std::vector<std::string>& metrics, const MetricOptions& options) {
  for (const std::string& name : metrics) metric_of(name);
  bleu_options(options);
}

Scored score_text(const std::string& metric, const MetricOptions& options, const ScoredTexts& texts) {
  return metric_of(metric)(options, texts);
}

Lines read_lines(const std::string& path) {
  Lines lines;
  std::string line;
  if (path.empty()) {
    while (std::getline(std::cin, line)) {
      if (line.ends_with('\r')) line.pop_back();
      lines.push_back(line);
    }
    return lines;
  }
  text::LineReader reader(path, path);
  while (reader.next(line)) lines.push_back(line);
  return lines;
}

}  // namespace memsizer::cli
