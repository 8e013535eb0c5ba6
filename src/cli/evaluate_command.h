#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/text_metrics.h"
#include "engine/text_model.h"

namespace memsizer::cli {

struct EvaluateCommand {
  std::string model;
  std::vector<std::string> test;
  std::string format;
  std::string source_key = "document";
  std::string target_key = "summary";
  std::vector<metrics::Metric> metrics;
  metrics::ScoreOptions options;
  std::vector<int64_t> buckets;
  std::optional<int64_t> beam;
  std::optional<double> length_penalty;
  std::optional<int64_t> max_source_tokens;
  int64_t window = 512;
  std::optional<int64_t> score_last;
  int64_t lead = 0;
  int64_t limit = 0;
  std::string output;
  int threads = 0;
  bool shortlist = false;
  bool no_perplexity = false;
  bool json = false;
};

// A model of pairs: generates for the sources, scores against the references.
void evaluate_pairs(EvaluateCommand command, const engine::TextModel& model, int threads);
// The first sentences of each document instead of a model's output.
void evaluate_lead(EvaluateCommand command);
// A language model: perplexity.
void evaluate_stream(const EvaluateCommand& command, const engine::TextModel& model, int threads);

}  // namespace memsizer::cli
