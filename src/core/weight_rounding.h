#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

// How weights are rounded to fewer bits: for files (model/quantize.h) and for matrices that the runtime packs
// (kernels/packed_matrix.h), which so hold the same numbers. Activations are rounded by a rule of their own
// (kernels/quantized_rows.h), since the processor limits sums of their neighbours.
namespace memsizer {

// The largest size of an int8 weight; -128 is not used.
inline constexpr int32_t kLargestInt8 = 127;

// Rounds a row of a matrix to int8 and returns its scale: a weight is number * scale. The scale is the row's
// largest size / 127; each number is the nearest, the even one of two. A row of zeros, or of numbers too
// small for a scale, has the scale 0 and zeros. A row with a number that is not finite has a scale that is
// not finite. `numbers` is as long as `row`.
inline float round_to_int8(std::span<const float> row, std::span<int8_t> numbers) {
  // Written so that the compiler makes vectors of it: the largest size as an integer, whose order is the
  // same, and rounding by adding a number whose fraction has no bits left.
  int32_t largest = 0;
  for (const float weight : row) largest = std::max(largest, std::bit_cast<int32_t>(std::fabs(weight)));
  const float scale = std::bit_cast<float>(largest) / static_cast<float>(kLargestInt8);
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23
  // Divided, and not multiplied with the inverse: that of a very small scale is infinite.
  const float divisor = scale > 0.0F ? scale : std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < row.size(); ++i) {
    const float rounded = row[i] / divisor + kRounder;
    const int32_t number = std::bit_cast<int32_t>(rounded) - std::bit_cast<int32_t>(kRounder);
    numbers[i] = static_cast<int8_t>(std::clamp(number, -kLargestInt8, kLargestInt8));
  }
  return scale;
}

// The upper half of a float, rounded to the nearest, the even one of two. What is finite stays finite: a
// number that would round to infinity is the largest bfloat16 instead.
inline uint16_t round_to_bf16(float weight) {
  const auto bits = std::bit_cast<uint32_t>(weight);
  // The bits of a NaN that remain might be those of infinity.
  if (std::isnan(weight)) return static_cast<uint16_t>(bits >> 16 | 0x40U);
  const uint32_t rounded = bits + 0x7FFFU + (bits >> 16 & 1U);
  const bool overflows = std::isfinite(weight) && (rounded & 0x7F800000U) == 0x7F800000U;
  return static_cast<uint16_t>((overflows ? bits : rounded) >> 16);
}

inline float from_bf16(uint16_t half) {
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

}  // namespace memsizer
