// What the kernels share: vectors held in registers, loads and stores of a few numbers, functions of vectors.
// Included once for each instruction set, hence the guard that flips.
#if defined(MEMSIZER_KERNELS_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MEMSIZER_KERNELS_VECTORS_INL_H
#undef MEMSIZER_KERNELS_VECTORS_INL_H
#else
#define MEMSIZER_KERNELS_VECTORS_INL_H
#endif

#include <hwy/highway.h>
// After highway.h, which it needs.
#include <hwy/contrib/math/math-inl.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 numbers, the width of a panel.
using Floats = hn::CappedTag<float, 16>;
using FloatVector = hn::Vec<Floats>;
inline constexpr Floats kFloats;
inline constexpr int64_t kLanes = HWY_LANES(float) < 16 ? HWY_LANES(float) : 16;

// Vectors by name rather than in an array: g++ 12 keeps arrays in memory even where every index is known.
template <typename V, int kSize>
struct Pack {
  V first;
  Pack<V, kSize - 1> rest;
};
template <typename V>
struct Pack<V, 1> {
  V first;
};

template <int kSize>
HWY_INLINE void set_zero(Pack<FloatVector, kSize>& pack) {
  pack.first = hn::Zero(kFloats);
  if constexpr (kSize > 1) set_zero(pack.rest);
}

// The first `count` numbers, fewer than a vector, and zeros; reads and writes nothing beyond them.
HWY_INLINE FloatVector load_some(const float* from, int64_t count) {
  HWY_ALIGN float numbers[kLanes] = {};
  std::memcpy(numbers, from, static_cast<size_t>(count) * sizeof(float));
  return hn::Load(kFloats, numbers);
}
HWY_INLINE void store_some(FloatVector vector, float* to, int64_t count) {
  HWY_ALIGN float numbers[kLanes];
  hn::Store(vector, kFloats, numbers);
  std::memcpy(to, numbers, static_cast<size_t>(count) * sizeof(float));
}

// A vector of a row of which `there` numbers are left.
HWY_INLINE FloatVector load_part(const float* from, int64_t there) {
  return there >= kLanes ? hn::LoadU(kFloats, from) : load_some(from, there);
}
HWY_INLINE void store_part(FloatVector vector, float* to, int64_t there) {
  if (there >= kLanes) {
    hn::StoreU(vector, kFloats, to);
  } else {
    store_some(vector, to, there);
  }
}

// The exponential, within 1e-6 of it also where it overflows; of a NaN, a NaN.
HWY_INLINE FloatVector exponential_of(FloatVector x) {
  // Beyond 100 the library's function is not defined, and of a NaN it makes a zero.
  const FloatVector y = hn::Exp(kFloats, hn::Min(x, hn::Set(kFloats, 100.0F)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

HWY_INLINE FloatVector sigmoid_of(FloatVector x) {
  const FloatVector one = hn::Set(kFloats, 1.0F);
  return hn::Div(one, hn::Add(one, exponential_of(hn::Neg(x))));
}

// Within 5e-7, by formula 7.1.26 of Abramowitz and Stegun.
HWY_INLINE FloatVector erf_of(FloatVector x) {
  const FloatVector one = hn::Set(kFloats, 1.0F);
  const FloatVector size = hn::Abs(x);
  const FloatVector t = hn::Div(one, hn::MulAdd(hn::Set(kFloats, 0.3275911F), size, one));
  FloatVector sum = hn::Set(kFloats, 1.061405429F);
  sum = hn::MulAdd(sum, t, hn::Set(kFloats, -1.453152027F));
  sum = hn::MulAdd(sum, t, hn::Set(kFloats, 1.421413741F));
  sum = hn::MulAdd(sum, t, hn::Set(kFloats, -0.284496736F));
  sum = hn::MulAdd(sum, t, hn::Set(kFloats, 0.254829592F));
  const FloatVector rest = hn::Mul(hn::Mul(sum, t), hn::Exp(kFloats, hn::Neg(hn::Mul(x, x))));
  return hn::CopySign(hn::Sub(one, rest), x);
}

HWY_INLINE FloatVector gelu_of(FloatVector x) {
  const FloatVector half = hn::Mul(hn::Set(kFloats, 0.5F), x);
  return hn::MulAdd(half, erf_of(hn::Mul(x, hn::Set(kFloats, 0.70710678F))), half);
}

HWY_INLINE FloatVector relu_of(FloatVector x) {
  return hn::Max(hn::Zero(kFloats), x);
}

HWY_INLINE float largest_of(const float* x, int64_t width) {
  const int64_t whole = width / kLanes * kLanes;
  FloatVector largest = hn::Set(kFloats, x[0]);
  for (int64_t i = 0; i < whole; i += kLanes) largest = hn::Max(hn::LoadU(kFloats, x + i), largest);
  float most = hn::GetLane(hn::MaxOfLanes(kFloats, largest));
  for (int64_t i = whole; i < width; ++i) most = x[i] > most ? x[i] : most;
  return most;
}

// x = exp(x - its largest number); their sum.
HWY_INLINE float exponentials_of_differences(float* x, int64_t width) {
  const int64_t whole = width / kLanes * kLanes;
  const FloatVector shift = hn::Set(kFloats, largest_of(x, width));
  FloatVector sums = hn::Zero(kFloats);
  for (int64_t i = 0; i < whole; i += kLanes) {
    const FloatVector y = exponential_of(hn::Sub(hn::LoadU(kFloats, x + i), shift));
    hn::StoreU(y, kFloats, x + i);
    sums = hn::Add(sums, y);
  }
  float rest = 0.0F;
  if (whole < width) {
    store_some(exponential_of(hn::Sub(load_some(x + whole, width - whole), shift)), x + whole, width - whole);
    for (int64_t i = whole; i < width; ++i) rest += x[i];
  }
  return hn::GetLane(hn::SumOfLanes(kFloats, sums)) + rest;
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
