#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

// One source for every x86 level, chosen at run time; sanitizers cannot run the resolvers that this needs.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MEMSIZER_SIMD_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define MEMSIZER_SIMD_CLONES
#endif

namespace memsizer::nn {

// exp to 2 units in the last place for x <= 0, in operations the compiler can vectorise (std::exp is a call
// for each number). Range reduction to 2^n e^r with |r| <= ln 2 / 2, then the Taylor polynomial of e^r.
inline float fast_exp(float x) {
  constexpr float kLog2e = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  x = std::max(x, -87.0F);
  const float n = (x * kLog2e + kRound) - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  const float tail = ((((r / 720.0F + 1.0F / 120.0F) * r + 1.0F / 24.0F) * r + 1.0F / 6.0F) * r + 0.5F) * r;
  const float power = std::bit_cast<float>((static_cast<int32_t>(n) + 127) << 23);
  return ((tail + 1.0F) * r + 1.0F) * power;
}

inline double fast_exp(double x) {
  return std::exp(x);
}

}  // namespace memsizer::nn
