#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/best_candidates.h"
#include "decode/generate.h"
#include "decode/row_loop.h"
#include "decode/row_scores.h"

namespace memsizer::decode {

// What one step of a search needs and nothing outlives; sentences take turns with it.
struct SearchScratch {
  RowScores scores;
  BestCandidates best;
  std::vector<int32_t> history;
};

// The beam search of one sentence. It sees the logits of its own hypotheses only, so that its outcome cannot
// depend on the sentences beside it. Hypotheses of probability 0 are let go: they could never be finished.
class SentenceSearch {
 public:
  // `request`, `options` and `scratch` must outlive the search.
  SentenceSearch(const Request& request, const GenerationOptions& options, int64_t vocab,
                 int64_t max_positions, SearchScratch& scratch);

  // The hypotheses that go on; none when the search is over.
  std::span<const NextRow> next_rows() const { return rows_; }

  void step(std::span<float> logits);

  // The finished hypotheses, best first, at most options.n_best.
  std::vector<Hypothesis> take_hypotheses();

 private:
  // A token of a hypothesis and the node before it; hypotheses share their beginnings.
  struct Node {
    int32_t parent = 0;
    int32_t token = 0;
    float score = 0.0F;
  };
  struct Live {
    int32_t node = 0;
    double score = 0.0;  // sum of its tokens' scores
  };

  void offer_row(int64_t hypothesis, std::span<float> row);
  void offer_token(int64_t hypothesis, int64_t token);
  void ban_ngrams(int32_t node, std::span<float> row);
  void continue_with(std::span<const Candidate> candidates);
  Hypothesis finished(const Candidate& candidate) const;

  const Request* request_;
  const GenerationOptions* options_;
  SearchScratch* scratch_;
  size_t vocab_;
  size_t width_;
  int64_t longest_;
  int64_t shortest_;
  int64_t step_ = 0;
  std::vector<Node> nodes_;
  std::vector<Live> live_;
  std::vector<NextRow> rows_;
  std::vector<Hypothesis> finished_;
};

}  // namespace memsizer::decode
