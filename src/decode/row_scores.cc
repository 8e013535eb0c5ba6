#include "decode/row_scores.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace memsizer::decode {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr size_t kLanes = 16;
static_assert(RowScores::kBlock == 4 * kLanes);

// exp(x) for x <= 0 to a few units of the last place, in operations a compiler can do for many lanes at once.
// Below 2^-126 the answer is 2^-126; so it is for NaN.
inline float exp_of_negative(float x) {
  constexpr float kLog2E = 1.44269504F;
  // Adding 1.5 * 2^23 leaves the nearest whole number in the lowest bits.
  constexpr float kRounder = 12582912.0F;
  float power = x * kLog2E;
  power = power > -126.0F ? power : -126.0F;
  power = power < 0.0F ? power : 0.0F;
  const float shifted = power + kRounder;
  const float z = (power - (shifted - kRounder)) * 0.693147181F;  // |z| <= ln(2) / 2
  const float fraction =
      1.0F + z * (1.0F + z * (1.0F / 2 + z * (1.0F / 6 + z * (1.0F / 24 + z * (1.0F / 120 + z / 720)))));
  const uint32_t exponent = (std::bit_cast<uint32_t>(shifted) + 127U) << 23U;
  return fraction * std::bit_cast<float>(exponent);
}

// The larger of two numbers, `b` if `a` is NaN.
inline float larger(float a, float b) {
  return a > b ? a : b;
}

float largest(const float* block) {
  std::array<float, kLanes> best;
  for (size_t i = 0; i < kLanes; ++i) {
    const float first = larger(block[i + kLanes], larger(block[i], -kInfinity));
    best[i] = larger(block[i + 3 * kLanes], larger(block[i + 2 * kLanes], first));
  }
  return *std::ranges::max_element(best);
}

double sum_of_exp(const float* block, float max, float scale) {
  // Apart from the sums, so that the compiler sees independent lanes.
  std::array<float, RowScores::kBlock> terms;
  for (size_t i = 0; i < terms.size(); ++i) terms[i] = exp_of_negative((block[i] - max) * scale);
  std::array<float, kLanes> sums;
  for (size_t i = 0; i < kLanes; ++i) {
    sums[i] = (terms[i] + terms[i + kLanes]) + (terms[i + 2 * kLanes] + terms[i + 3 * kLanes]);
  }
  double sum = 0.0;
  for (const float part : sums) sum += static_cast<double>(part);
  return sum;
}

}  // namespace

void RowScores::read(std::span<const float> row, double temperature) {
  row_ = row;
  temperature_ = temperature;
  block_max_.resize((row.size() + kBlock - 1) / kBlock);
  const auto scale = static_cast<float>(1.0 / temperature);
  float max = -kInfinity;
  double sum = 0.0;
  std::array<float, kBlock> tail;
  for (size_t block = 0; block < block_max_.size(); ++block) {
    const float* values = row.data() + block * kBlock;
    if (const size_t rest = row.size() - block * kBlock; rest < kBlock) {
      tail.fill(-kInfinity);
      std::copy_n(values, rest, tail.begin());
      values = tail.data();
    }
    block_max_[block] = largest(values);
    const float block_max = std::min(block_max_[block], kLargest);
    if (block_max == -kInfinity) continue;
    if (block_max > max) {
      sum *= std::exp((static_cast<double>(max) - static_cast<double>(block_max)) / temperature);
      max = block_max;
    }
    sum += sum_of_exp(values, max, scale);
  }
  max_ = static_cast<double>(max);
  log_sum_ = sum > 0.0 ? std::log(sum) : 0.0;
}

float RowScores::score(size_t token) const {
  const float value = row_[token];
  if (!(value > -kInfinity)) return -kInfinity;
  const double finite = static_cast<double>(std::min(value, kLargest));
  const double score = (finite - max_) / temperature_ - log_sum_;
  return score < -static_cast<double>(kLargest) ? -kInfinity : static_cast<float>(score);
}

float RowScores::logit_bound(double score) const {
  const double bound = (score + log_sum_) * temperature_ + max_;
  // Wider than the rounding of a score to float, so that the bound errs to the safe side only.
  const double slack =
      1e-6 * (std::abs(bound) + std::abs(max_) + temperature_ * (std::abs(score) + log_sum_));
  const double low = bound - slack;
  if (!(low >= -static_cast<double>(kLargest))) return -kInfinity;
  return static_cast<float>(std::min(low, static_cast<double>(kLargest)));
}

}  // namespace memsizer::decode
