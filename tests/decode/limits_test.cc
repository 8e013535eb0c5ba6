#include "decode/limits.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "core/generation_options.h"

namespace memsizer::decode {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(Limits, LongestOutputIsTheSourcesTimesTheRatioAndMore) {
  EXPECT_EQ(longest_output(1.2, 10, 20, 0), 34);
  EXPECT_EQ(longest_output(1.2, 4, 5, 0), 10);
  EXPECT_EQ(longest_output(1.2, 0, 4, 0), 4);
  EXPECT_EQ(longest_output(0.0, 140, 999, 0), 140);
  EXPECT_EQ(longest_output(0.5, 0, 1, 0), 0);
}

TEST(Limits, LongestOutputLeavesAPositionForTheStartToken) {
  EXPECT_EQ(longest_output(1.0, 0, 20, 16), 15);
  EXPECT_EQ(longest_output(1.0, 0, 5, 16), 5);
  EXPECT_EQ(longest_output(1.0, 0, 5, 1), 0);
}

TEST(Limits, LongestOutputIsBounded) {
  EXPECT_EQ(longest_output(1000.0, kLongestOutput, kHuge, 0), kLongestOutput);
  EXPECT_EQ(longest_output(1000.0, kLongestOutput, kHuge, kHuge), kLongestOutput);
}

TEST(Limits, NegativeLengthsAreOurMistake) {
  EXPECT_THROW(longest_output(1.0, 1, -1, 0), std::invalid_argument);
  EXPECT_THROW(longest_output(1.0, 1, 1, -1), std::invalid_argument);
}

}  // namespace
}  // namespace memsizer::decode
