#include "bench/machine_limits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/machine_limits.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/highway.h>

#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace memsizer::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace own = kernels::HWY_NAMESPACE;

// Twelve chains: more than two units times four or five cycles.
constexpr int kChains = 12;

template <int kSize>
HWY_INLINE void multiply_add(own::FloatVector x, own::Pack<own::FloatVector, kSize>& sums) {
  sums.first = hn::MulAdd(x, x, sums.first);
  if constexpr (kSize > 1) multiply_add(x, sums.rest);
}

// Chains that began alike would be one to the compiler.
template <int kSize>
HWY_INLINE void set_different(own::Pack<own::FloatVector, kSize>& sums, float first) {
  sums.first = hn::Set(own::kFloats, first);
  if constexpr (kSize > 1) set_different(sums.rest, first + 1.0F);
}

template <int kSize>
HWY_INLINE own::FloatVector total(const own::Pack<own::FloatVector, kSize>& sums) {
  if constexpr (kSize > 1) {
    return hn::Add(sums.first, total(sums.rest));
  } else {
    return sums.first;
  }
}

float multiply_adds(int64_t rounds) {
  const own::FloatVector x = hn::Set(own::kFloats, 1e-3F);
  own::Pack<own::FloatVector, kChains> sums;
  set_different(sums, 0.0F);
  for (int64_t i = 0; i < rounds; ++i) multiply_add(x, sums);
  return hn::GetLane(hn::SumOfLanes(own::kFloats, total(sums)));
}

int64_t flops_of_round() {
  return kChains * own::kLanes * 2;
}

uint32_t read_bytes(const std::byte* data, int64_t bytes) {
  const hn::CappedTag<uint32_t, 16> d;
  // Four streams at once, which memory delivers faster than one, a cache line of each in turn.
  constexpr int64_t kLine = 16;
  const auto* from = reinterpret_cast<const uint32_t*>(data);
  const auto numbers = static_cast<int64_t>(bytes / sizeof(uint32_t));
  const int64_t quarter = numbers / (4 * kLine) * kLine;
  auto a = hn::Zero(d);
  auto b = a;
  auto e = a;
  auto f = a;
  for (int64_t line = 0; line < quarter; line += kLine) {
    const uint32_t* at = from + line;
    for (int64_t i = 0; i < kLine; i += own::kLanes) {
      a = hn::Xor(a, hn::LoadU(d, at + i));
      b = hn::Xor(b, hn::LoadU(d, at + quarter + i));
      e = hn::Xor(e, hn::LoadU(d, at + 2 * quarter + i));
      f = hn::Xor(f, hn::LoadU(d, at + 3 * quarter + i));
    }
  }
  for (int64_t i = 4 * quarter; i + own::kLanes <= numbers; i += own::kLanes)
    a = hn::Xor(a, hn::LoadU(d, from + i));
  return hn::GetLane(hn::SumOfLanes(d, hn::Xor(hn::Xor(a, b), hn::Xor(e, f))));
}

}  // namespace memsizer::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::bench {

HWY_EXPORT(multiply_adds);
HWY_EXPORT(flops_of_round);
HWY_EXPORT(read_bytes);

namespace {

// What is computed must be wanted by someone, or the compiler leaves it out.
template <typename T>
void keep(T value) {
  volatile T kept = value;
  static_cast<void>(kept);
}

}  // namespace

void multiply_adds(int64_t rounds) {
  keep(HWY_DYNAMIC_DISPATCH(multiply_adds)(rounds));
}

int64_t flops_of_round() {
  return HWY_DYNAMIC_DISPATCH(flops_of_round)();
}

void read_bytes(const std::byte* data, int64_t bytes) {
  keep(HWY_DYNAMIC_DISPATCH(read_bytes)(data, bytes));
}

}  // namespace memsizer::bench
#endif
