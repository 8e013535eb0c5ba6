#include "evaluate/evaluation.h"

namespace memsizer::evaluate {

metrics::NamedScores Evaluation::all_scores() const {
  using metrics::Metric;
  metrics::NamedScores all = {
      {std::string(metrics::traits_of(Metric::Loss).scores.front().name), nll},
      {std::string(metrics::traits_of(Metric::Perplexity).scores.front().name), perplexity}};
  all.insert(all.end(), scores.begin(), scores.end());
  return all;
}

}  // namespace memsizer::evaluate
