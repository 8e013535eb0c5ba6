#include "decode/ngrams.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace memsizer::decode {
namespace {

std::vector<int32_t> banned(const std::vector<int32_t>& history, int64_t n) {
  std::vector<float> row(10, 0.0F);
  ban_repeated_ngrams(history, n, row);
  std::vector<int32_t> tokens;
  for (size_t i = 0; i < row.size(); ++i) {
    if (std::isinf(row[i])) tokens.push_back(static_cast<int32_t>(i));
  }
  return tokens;
}

using Tokens = std::vector<int32_t>;

TEST(Ngrams, BansWhatWouldCompleteASecondOne) {
  EXPECT_EQ(banned({2, 5, 6, 5}, 2), (Tokens{6}));
  EXPECT_EQ(banned({2, 5, 6, 5, 7, 5}, 2), (Tokens{6, 7}));
  EXPECT_EQ(banned({2, 5, 5, 5}, 2), (Tokens{5}));
  EXPECT_EQ(banned({2, 5, 6, 7, 5, 6}, 3), (Tokens{7}));
  EXPECT_EQ(banned({2, 5, 6, 7, 8, 6}, 3), (Tokens{}));
}

TEST(Ngrams, TheStartTokenCounts) {
  EXPECT_EQ(banned({2, 5, 6, 2}, 2), (Tokens{5}));
  EXPECT_EQ(banned({2, 5, 6, 2, 5}, 3), (Tokens{6}));
}

TEST(Ngrams, ShortHistoriesHoldNone) {
  for (const int64_t n : {2, 3, 1000}) {
    EXPECT_EQ(banned({}, n), (Tokens{}));
    EXPECT_EQ(banned({2}, n), (Tokens{}));
    EXPECT_EQ(banned({2, 3}, n), (Tokens{}));
  }
}

}  // namespace
}  // namespace memsizer::decode
