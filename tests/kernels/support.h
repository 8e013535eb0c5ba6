#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace memsizer::kernels::testing {

// Runs work() with the kernels of each instruction set that this processor has.
template <typename Work>
void on_every_target(const Work& work) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    work();
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

inline std::vector<float> random_numbers(std::mt19937& random, int64_t count, float size = 1.0F) {
  std::uniform_real_distribution<float> uniform(-size, size);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = uniform(random);
  return numbers;
}

// Equal bit for bit: NaN is equal to itself, and 0 is not -0.
inline bool same_bits(std::span<const float> x, std::span<const float> y) {
  if (x.size() != y.size()) return false;
  // memcmp takes no null pointer, not even of no bytes.
  return x.empty() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
}

inline void expect_near(std::span<const float> found, std::span<const float> expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], tolerance) << "at " << i;
}

}  // namespace memsizer::kernels::testing
