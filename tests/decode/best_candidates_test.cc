#include "decode/best_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"

namespace memsizer::decode {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(BestCandidates, AreTheFirstOfASort) {
  Random random{1};
  BestCandidates best;
  RowScores scores;
  for (int i = 0; i < 1000; ++i) {
    const size_t vocab = 1 + random.below(300);
    const size_t rows = 1 + random.below(4);
    const size_t first = random.below(vocab + 1);
    const size_t capacity = random.below(40);
    std::vector<Candidate> all;
    best.reset(capacity);
    for (size_t row = 0; row < rows; ++row) {
      std::vector<float> logits(vocab);
      // Few different values, so that many scores are equal.
      for (float& logit : logits) logit = static_cast<float>(random.below(5));
      if (random.below(5) == 0) logits[random.below(vocab)] = -kInfinity;
      const double base = -static_cast<double>(random.below(3));
      scores.read(logits, 1.0);
      best.offer_tokens(scores, first, static_cast<int64_t>(row), base);
      for (size_t token = first; token < vocab; ++token) {
        const float score = scores.score(token);
        if (std::isinf(score)) continue;
        all.push_back({.score = base + static_cast<double>(score),
                       .hypothesis = static_cast<int64_t>(row),
                       .token = static_cast<int32_t>(token),
                       .token_score = score});
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Candidate::score);
    all.resize(std::min(all.size(), capacity));
    const auto found = best.sorted();
    ASSERT_EQ(found.size(), all.size());
    for (size_t rank = 0; rank < all.size(); ++rank) {
      ASSERT_EQ(found[rank].score, all[rank].score);
      ASSERT_EQ(found[rank].hypothesis, all[rank].hypothesis);
      ASSERT_EQ(found[rank].token, all[rank].token);
      ASSERT_EQ(found[rank].token_score, all[rank].token_score);
    }
  }
}

TEST(BestCandidates, ImpossibleOnesAreNotTaken) {
  BestCandidates best;
  best.reset(3);
  EXPECT_FALSE(best.offer({.score = -HUGE_VAL}));
  EXPECT_FALSE(best.offer({.score = std::nan("")}));
  EXPECT_TRUE(best.offer({.score = -1e300}));
  EXPECT_EQ(best.sorted().size(), 1U);
}

}  // namespace
}  // namespace memsizer::decode
