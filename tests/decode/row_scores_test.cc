#include "decode/row_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"

namespace memsizer::decode {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();

// The same in long double, for finite numbers and -inf.
std::vector<double> plain_scores(const std::vector<float>& row, double temperature) {
  const auto max = static_cast<long double>(*std::ranges::max_element(row));
  long double sum = 0.0L;
  for (const float value : row) sum += std::exp((static_cast<long double>(value) - max) / temperature);
  std::vector<double> scores;
  for (const float value : row) {
    scores.push_back(
        static_cast<double>((static_cast<long double>(value) - max) / temperature - std::log(sum)));
  }
  return scores;
}

void expect_close(const std::vector<float>& row, double temperature) {
  RowScores scores;
  scores.read(row, temperature);
  const auto expected = plain_scores(row, temperature);
  ASSERT_EQ(scores.tokens(), row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (std::isinf(expected[i])) {
      ASSERT_EQ(scores.score(i), -kInfinity);
    } else {
      ASSERT_NEAR(static_cast<double>(scores.score(i)), expected[i], 1e-6 * (1.0 + std::abs(expected[i])))
          << "token " << i << " of " << row.size() << " at temperature " << temperature;
    }
  }
}

TEST(RowScores, AreTheLogSoftmax) {
  Random random{1};
  for (int i = 0; i < 600; ++i) {
    std::vector<float> row(1 + random.below(i % 10 == 0 ? 5000 : 200));
    const double spread = std::pow(10.0, 5.0 * random.uniform() - 2.0);
    const double offset = 1000.0 * (random.uniform() - 0.5);
    for (float& value : row) {
      value = static_cast<float>(offset + spread * random.uniform());
      if (random.below(20) == 0) value = -kInfinity;
    }
    row[random.below(row.size())] = static_cast<float>(offset);
    expect_close(row, i % 2 == 0 ? 1.0 : std::pow(10.0, 4.0 * random.uniform() - 2.0));
    if (HasFatalFailure()) return;
  }
}

TEST(RowScores, RisingAndFallingRows) {
  std::vector<float> row(10000);
  for (size_t i = 0; i < row.size(); ++i) row[i] = 0.01F * static_cast<float>(i);
  expect_close(row, 1.0);
  std::ranges::reverse(row);
  expect_close(row, 0.5);
}

TEST(RowScores, ManyEqualLogits) {
  const std::vector<float> row(50000, -7.0F);
  RowScores scores;
  scores.read(row, 1.0);
  EXPECT_NEAR(scores.score(49999), -std::log(50000.0F), 1e-6F);
}

TEST(RowScores, NaNIsImpossibleAndChangesNothingElse) {
  RowScores with;
  RowScores without;
  const std::vector<float> dirty = {1.0F, kNaN, 2.0F, -kNaN, 0.5F};
  const std::vector<float> clean = {1.0F, -kInfinity, 2.0F, -kInfinity, 0.5F};
  with.read(dirty, 0.7);
  without.read(clean, 0.7);
  for (size_t i = 0; i < dirty.size(); ++i) EXPECT_EQ(with.score(i), without.score(i));
  EXPECT_EQ(with.score(1), -kInfinity);
}

TEST(RowScores, AnInfiniteLogitHasAllTheProbability) {
  RowScores scores;
  const std::vector<float> row = {1.0F, kInfinity, kLargest, -kLargest, 3.0F};
  scores.read(row, 1.0);
  EXPECT_FLOAT_EQ(scores.score(1), -std::log(2.0F));
  EXPECT_FLOAT_EQ(scores.score(2), -std::log(2.0F));
  EXPECT_LT(scores.score(0), -1e30F);
  EXPECT_EQ(scores.score(3), -kInfinity);
}

TEST(RowScores, ADeadRowIsImpossibleThroughout) {
  RowScores scores;
  for (const size_t size : {1U, 64U, 100U}) {
    std::vector<float> row(size, -kInfinity);
    row[size / 2] = kNaN;
    scores.read(row, 1.0);
    for (size_t i = 0; i < size; ++i) EXPECT_EQ(scores.score(i), -kInfinity);
  }
  scores.read({}, 1.0);
  EXPECT_EQ(scores.tokens(), 0U);
}

TEST(RowScores, LoweringALogitLeavesTheOthers) {
  std::vector<float> row = {1.0F, 2.0F, 3.0F};
  RowScores scores;
  scores.read(row, 1.0);
  const float before = scores.score(0);
  row[2] = -kInfinity;
  EXPECT_EQ(scores.score(0), before);
  EXPECT_EQ(scores.score(2), -kInfinity);
}

TEST(RowScores, NoLogitAtTheBoundScoresAboveIt) {
  Random random{2};
  RowScores scores;
  for (int i = 0; i < 300; ++i) {
    std::vector<float> row(70);
    const double spread = std::pow(10.0, 40.0 * random.uniform() - 2.0);
    for (float& value : row) {
      value = static_cast<float>(std::clamp(spread * (random.uniform() - 0.5), -3e38, 3e38));
    }
    scores.read(row, std::pow(10.0, 4.0 * random.uniform() - 2.0));
    for (size_t of = 0; of < row.size(); ++of) {
      const auto score = static_cast<double>(scores.score(of));
      const float bound = scores.logit_bound(score);
      for (size_t token = 0; token < row.size(); ++token) {
        ASSERT_LE(row[token], scores.block_max(token / RowScores::kBlock));
        if (row[token] > bound) continue;
        ASSERT_LE(static_cast<double>(scores.score(token)), score);
      }
    }
  }
}

}  // namespace
}  // namespace memsizer::decode
