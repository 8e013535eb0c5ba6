#include "metrics/text_scores.h"

#include <fmt/format.h>

#include "core/error.h"
#include "metrics/chrf.h"
#include "metrics/rouge.h"
#include "metrics/rouge_155.h"

namespace memsizer::metrics {
namespace {

using Lines = std::vector<std::string>;

BleuOptions bleu_options(const ScoreOptions& options) {
  return {.tokenizer = options.tokenizer,
          .smoothing = options.smoothing,
          .smoothing_value = options.smoothing_value,
          .lowercase = options.lowercase};
}

// Adds how the texts compare with the baseline's.
void add_significance(const std::string& metric, const PairedBootstrap& pair, TextScore& score) {
  const auto text = [](const BootstrapEstimate& e) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", e.score, e.low, e.high);
  };
  const auto json = [](const BootstrapEstimate& e) {
    return nlohmann::json{{"score", e.score}, {"mean", e.mean}, {"low", e.low}, {"high", e.high}};
  };
  score.line += fmt::format("\n{} of the baseline {}, of the input {}, p = {:.4f}", metric,
                            text(pair.baseline), text(pair.system), pair.p_value);
  score.json["significance"] = {
      {"baseline", json(pair.baseline)}, {"input", json(pair.system)}, {"p_value", pair.p_value}};
}

TextScore score_chrf_order(const ScoredTexts& texts, const ScoreOptions& options, int64_t word_order,
                           const std::string& name) {
  const ChrfOptions chrf_options{.word_order = word_order, .lowercase = options.lowercase};
  const double score = chrf(texts.hypotheses, texts.references, chrf_options);
  TextScore result{{score}, fmt::format("{} = {:.2f}", name, score), {{"score", score}}};
  if (!texts.baseline.empty())
    add_significance(name,
                     paired_bootstrap_chrf(texts.baseline, texts.hypotheses, texts.references, chrf_options,
                                           options.bootstrap),
                     result);
  return result;
}

nlohmann::json rouge_json(const RougeValue& value) {
  return {{"precision", value.precision}, {"recall", value.recall}, {"f1", value.f1}};
}

const Lines& only_reference(const ScoredTexts& texts, const char* metric) {
  if (texts.references.size() == 1) return texts.references.front();
  throw UserError("{} takes one reference file, found {}; score against each alone", metric,
                  texts.references.size());
}

}  // namespace

TextScore score_bleu(const ScoredTexts& texts, const ScoreOptions& options) {
  const BleuOptions own = bleu_options(options);
  const BleuScore score = bleu(texts.hypotheses, texts.references, own);
  const std::string signed_as = signature(own, texts.references.size());
  TextScore result{{score.score},
                   fmt::format("{}\n{}", format_bleu(score), signed_as),
                   {{"score", score.score},
                    {"precisions", score.precisions},
                    {"brevity_penalty", score.brevity_penalty},
                    {"hypothesis_length", score.hypothesis_length},
                    {"reference_length", score.reference_length},
                    {"signature", signed_as}}};
  if (!texts.baseline.empty())
    add_significance(
        "BLEU",
        paired_bootstrap_bleu(texts.baseline, texts.hypotheses, texts.references, own, options.bootstrap),
        result);
  return result;
}

TextScore score_multi_bleu(const ScoredTexts& texts, const ScoreOptions& /*options*/) {
  const BleuScore score = multi_bleu(texts.hypotheses, texts.references);
  return {
      {score.score}, format_multi_bleu(score), {{"score", score.score}, {"precisions", score.precisions}}};
}

TextScore score_chrf(const ScoredTexts& texts, const ScoreOptions& options) {
  return score_chrf_order(texts, options, 0, "chrF2");
}

TextScore score_chrf_plus_plus(const ScoredTexts& texts, const ScoreOptions& options) {
  return score_chrf_order(texts, options, 2, "chrF2++");
}

TextScore score_rouge(const ScoredTexts& texts, const ScoreOptions& options) {
  const RougeScore score =
      corpus_rouge(texts.hypotheses, only_reference(texts, "rouge"), {.stemmer = options.stemmer});
  const std::vector<double> values = {100.0 * score.rouge1.f1, 100.0 * score.rouge2.f1,
                                      100.0 * score.rouge_l.f1};
  return {
      values,
      fmt::format("ROUGE-1 = {:.2f} ROUGE-2 = {:.2f} ROUGE-L = {:.2f} ROUGE-Lsum = {:.2f} (F1{})", values[0],
                  values[1], values[2], 100.0 * score.rouge_l_sum.f1, options.stemmer ? ", stemmed" : ""),
      {{"rouge1", rouge_json(score.rouge1)},
       {"rouge2", rouge_json(score.rouge2)},
       {"rougeL", rouge_json(score.rouge_l)},
       {"rougeLsum", rouge_json(score.rouge_l_sum)}}};
}

TextScore score_rouge_155(const ScoredTexts& texts, const ScoreOptions& options) {
  // Sentences on lines of their own, as files2rouge hands them to the script.
  const auto split = [](const Lines& lines) {
    Lines result;
    for (const std::string& line : lines) result.push_back(split_sentences(line));
    return result;
  };
  const Rouge155Score score = corpus_rouge_155(
      split(texts.hypotheses), split(only_reference(texts, "rouge-1.5.5")), {.stemmer = options.stemmer});
  const std::vector<double> values = {100.0 * score.rouge1.f1, 100.0 * score.rouge2.f1,
                                      100.0 * score.rouge_l.f1};
  return {values,
          fmt::format("ROUGE-1.5.5: ROUGE-1 = {:.2f} ROUGE-2 = {:.2f} ROUGE-L = {:.2f} (F1{})", values[0],
                      values[1], values[2], options.stemmer ? ", stemmed" : ""),
          {{"rouge1", rouge_json(score.rouge1)},
           {"rouge2", rouge_json(score.rouge2)},
           {"rougeL", rouge_json(score.rouge_l)}}};
}

}  // namespace memsizer::metrics
