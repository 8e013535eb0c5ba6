#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace memsizer::evaluate {

// What a model reaches on a set.
struct Evaluation {
  double nll = 0.0;  // of one token, without label smoothing
  double perplexity = 0.0;
  int64_t tokens = 0;                // that the two are of
  metrics::NamedScores scores;       // of the generated text
  std::vector<std::string> outputs;  // generated text, in the order of the set
  double generation_seconds = 0.0;
  int64_t generated_tokens = 0;

  // All numbers by their names in files: loss, perplexity, then the scores.
  metrics::NamedScores all_scores() const;

  // The number that a metric asks for, larger being better.
  double quality(metrics::Metric metric) const { return metrics::quality_of(metric, all_scores()); }
};

}  // namespace memsizer::evaluate
