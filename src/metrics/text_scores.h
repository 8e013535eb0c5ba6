#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/significance.h"

namespace memsizer::metrics {

// How text is scored, by whatever metric.
struct ScoreOptions {
  BleuTokenizer tokenizer = BleuTokenizer::V13a;
  BleuSmoothing smoothing = BleuSmoothing::Exp;
  double smoothing_value = 0.0;
  bool lowercase = false;  // BLEU and chrF without regard to case
  bool stemmer = true;     // ROUGE of words without their endings, as in most papers
  BootstrapOptions bootstrap = {};
};

// What is scored, and against what.
struct ScoredTexts {
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
  std::vector<std::string> baseline;  // empty unless another system is to be compared
};

// A metric's numbers, 0 to 100, in the order of its traits' scores; its lines for people, and its object for
// programs.
struct TextScore {
  std::vector<double> values;
  std::string line;
  nlohmann::json json;
};

TextScore score_bleu(const ScoredTexts& texts, const ScoreOptions& options);
TextScore score_multi_bleu(const ScoredTexts& texts, const ScoreOptions& options);
TextScore score_chrf(const ScoredTexts& texts, const ScoreOptions& options);
TextScore score_chrf_plus_plus(const ScoredTexts& texts, const ScoreOptions& options);
TextScore score_rouge(const ScoredTexts& texts, const ScoreOptions& options);
TextScore score_rouge_155(const ScoredTexts& texts, const ScoreOptions& options);

}  // namespace memsizer::metrics
