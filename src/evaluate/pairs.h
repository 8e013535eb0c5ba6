#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/evaluated_model.h"
#include "evaluate/evaluation.h"
#include "text/tokenizer.h"

// What it means to evaluate a model of pairs, the same during training and from a model file: sources are
// truncated as in training, blank ones give empty outputs without the model, text is generated for the first
// pairs or all, scored by the task's metrics, and the references' perplexity is of all pairs whose reference
// has room in the model's positions.
namespace memsizer::evaluate {

// Pairs as text and as tokens, which end with the end token and are not truncated yet.
struct Pairs {
  std::span<const std::string> sources;
  std::span<const std::string> references;
  std::function<Tokens(size_t pair)> source_tokens;
  std::function<Tokens(size_t pair)> target_tokens;

  size_t size() const { return references.size(); }
};

struct PairProtocol {
  int64_t max_source_tokens = 1024;  // longer sources are truncated, end token included
  int64_t sentences = 0;             // text is generated for the first of the set; 0: all
  bool likelihood = true;            // also how likely the references are
  std::vector<metrics::Metric> metrics = {};
  metrics::ScoreOptions scoring = {};
};

struct PairEvaluation {
  Evaluation evaluation;
  std::vector<metrics::TextScore> scores;  // of each metric of the protocol
  std::vector<double> log_probability;     // of each reference; empty where the model tells only the total
  std::vector<int64_t> target_tokens;      // of each reference; 0: left out of the perplexity
  int64_t truncated = 0;                   // sources that were read in part, of those generated for
  int64_t left_out = 0;                    // references too long for the model
};

// `on_done` is told how many outputs are generated.
PairEvaluation evaluate_pairs(EvaluatedModel& model, const text::Tokenizer& tokenizer, const Pairs& pairs,
                              const PairProtocol& protocol, const OnDone& on_done = nullptr);

// The same of outputs that came without a model, such as the lead baseline's.
PairEvaluation evaluate_outputs(std::vector<std::string> outputs, std::span<const std::string> references,
                                const PairProtocol& protocol);

}  // namespace memsizer::evaluate
