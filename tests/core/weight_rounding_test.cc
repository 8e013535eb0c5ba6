#include "core/weight_rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace memsizer {
namespace {

constexpr float kTiny = std::numeric_limits<float>::denorm_min();
constexpr float kHuge = std::numeric_limits<float>::max();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Rounded {
  std::vector<int8_t> numbers;
  float scale;
};

Rounded rounded(const std::vector<float>& row) {
  std::vector<int8_t> numbers(row.size());
  const float scale = round_to_int8(row, numbers);
  return {numbers, scale};
}

TEST(RoundToInt8, TakesTheNearestAndTheEvenOneOfTwo) {
  const Rounded one = rounded({127.0F, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F});
  EXPECT_EQ(one.scale, 1.0F);
  EXPECT_EQ(one.numbers, (std::vector<int8_t>{127, 0, 2, 2, 0, -2}));
  const Rounded two = rounded({-254.0F, 2.0F, 3.0F, 5.0F, 126.9F, 254.0F});
  EXPECT_EQ(two.scale, 2.0F);
  EXPECT_EQ(two.numbers, (std::vector<int8_t>{-127, 1, 2, 2, 63, 127}));
}

// What files hold since the first quantised one: nearbyint(weight / scale).
TEST(RoundToInt8, DividesByTheScale) {
  std::mt19937 random(4);
  for (int columns = 1; columns < 300; columns += 7) {
    std::normal_distribution<float> normal(0.0F, std::exp2(static_cast<float>(columns % 40) - 20.0F));
    std::vector<float> row;
    for (int i = 0; i < columns; ++i) row.push_back(normal(random));
    float largest = 0.0F;
    for (const float weight : row) largest = std::max(largest, std::fabs(weight));
    const Rounded result = rounded(row);
    ASSERT_EQ(result.scale, largest / 127.0F);
    for (size_t i = 0; i < row.size(); ++i)
      ASSERT_EQ(static_cast<float>(result.numbers[i]), std::nearbyint(row[i] / result.scale));
  }
}

TEST(RoundToInt8, TakesTheSmallestAndTheLargestNumbers) {
  const Rounded zeros = rounded({0.0F, -0.0F, 0.0F});
  EXPECT_EQ(zeros.scale, 0.0F);
  EXPECT_EQ(zeros.numbers, std::vector<int8_t>(3, 0));
  const Rounded none = rounded({kTiny, -kTiny});
  EXPECT_EQ(none.scale, 0.0F);
  EXPECT_EQ(none.numbers, std::vector<int8_t>(2, 0));
  // The inverse of this scale is not a float.
  const Rounded tiny = rounded({190 * kTiny, -190 * kTiny, 100 * kTiny, 0.0F});
  EXPECT_EQ(tiny.scale, kTiny);
  EXPECT_EQ(tiny.numbers, (std::vector<int8_t>{127, -127, 100, 0}));
  EXPECT_EQ(rounded({kHuge, -kHuge, 0.0F}).numbers, (std::vector<int8_t>{127, -127, 0}));
  EXPECT_TRUE(rounded({}).numbers.empty());
}

TEST(RoundToInt8, ShowsWhatIsNotFinite) {
  for (const float bad : {kInfinity, -kInfinity, kNaN}) {
    EXPECT_FALSE(std::isfinite(rounded({1.0F, bad, 2.0F}).scale)) << bad;
  }
}

TEST(RoundToBf16, TakesTheNearestAndTheEvenOneOfTwo) {
  const auto one = [](uint32_t bits) { return round_to_bf16(std::bit_cast<float>(bits)); };
  EXPECT_EQ(one(0x3f800000), 0x3f80);
  EXPECT_EQ(one(0x3f808000), 0x3f80);
  EXPECT_EQ(one(0x3f808001), 0x3f81);
  EXPECT_EQ(one(0x3f818000), 0x3f82);
  EXPECT_EQ(one(0xbf817fff), 0xbf81);
  EXPECT_EQ(one(0x00000001), 0x0000);
}

TEST(RoundToBf16, KeepsFiniteFiniteAndNaNNaN) {
  const float largest = std::bit_cast<float>(0x7f7f0000U);
  EXPECT_EQ(from_bf16(round_to_bf16(kHuge)), largest);
  EXPECT_EQ(from_bf16(round_to_bf16(-kHuge)), -largest);
  EXPECT_EQ(from_bf16(round_to_bf16(kInfinity)), kInfinity);
  EXPECT_EQ(from_bf16(round_to_bf16(-kInfinity)), -kInfinity);
  for (const uint32_t bits : {0x7fc00000U, 0x7f800001U, 0x7fffffffU, 0xffffffffU})
    EXPECT_TRUE(std::isnan(from_bf16(round_to_bf16(std::bit_cast<float>(bits))))) << bits;
}

TEST(RoundToBf16, KeepsWhatItMade) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const float number = from_bf16(static_cast<uint16_t>(half));
    if (std::isnan(number)) continue;
    ASSERT_EQ(round_to_bf16(number), half);
  }
}

}  // namespace
}  // namespace memsizer
