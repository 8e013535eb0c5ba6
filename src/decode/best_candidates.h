#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/row_scores.h"

namespace memsizer::decode {

// A hypothesis and the token that would follow it.
struct Candidate {
  double score = 0.0;  // of the hypothesis with the token
  int64_t hypothesis = 0;
  int32_t token = 0;
  float token_score = 0.0F;
};

// The best of the candidates offered, in the order a sort of all of them would give: by score, and by
// (hypothesis, token) where scores are equal. Candidates must be offered in rising (hypothesis, token);
// impossible ones (score -inf) are not taken.
class BestCandidates {
 public:
  void reset(size_t capacity);

  // Whether it was taken; a better one may still take its place.
  bool offer(const Candidate& candidate);

  // Offers every token from `first` on, after a hypothesis of score `base`.
  void offer_tokens(const RowScores& scores, size_t first, int64_t hypothesis, double base);

  // Best first. Ends the offering until the next reset.
  std::span<const Candidate> sorted();

 private:
  // A candidate must score above this to be taken.
  double bar() const;

  size_t capacity_ = 0;
  std::vector<Candidate> heap_;  // the worst in front
};

}  // namespace memsizer::decode
