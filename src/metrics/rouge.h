#pragma once

#include <span>
#include <string>

namespace memsizer::metrics {

struct RougeOptions {
  bool stemmer = false;
};

struct RougeValue {
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;
};

struct RougeScore {
  RougeValue rouge1, rouge2, rouge_l, rouge_l_sum;  // 0 to 1
};

// One summary against one reference as google's rouge_score computes it.
RougeScore rouge(const std::string& hypothesis, const std::string& reference,
                 const RougeOptions& options = {});

// The mean over a corpus; different numbers of lines are a UserError.
RougeScore corpus_rouge(std::span<const std::string> hypotheses, std::span<const std::string> references,
                        const RougeOptions& options = {});

}  // namespace memsizer::metrics
