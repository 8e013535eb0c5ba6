#include "kernels/quantized_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantized_rows.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/highway.h>

#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

// Of a vector of sizes, each one plus its neighbour's.
HWY_INLINE FloatVector with_neighbours(FloatVector sizes) {
#if HWY_TARGET == HWY_SCALAR
  return sizes;
#else
  return hn::Add(sizes, hn::Shuffle2301(sizes));
#endif
}

RowScale quantize_row(const float* x, int64_t columns, int64_t stored, float limit, int8_t* to) {
  const int64_t whole = columns / kLanes * kLanes;
  FloatVector largest = hn::Zero(kFloats);
  FloatVector nothing = hn::Zero(kFloats);
  const auto look_at = [&](FloatVector v) HWY_ATTR {
    largest = hn::Max(with_neighbours(hn::Abs(v)), largest);
    nothing = hn::MulAdd(v, hn::Zero(kFloats), nothing);
  };
  for (int64_t i = 0; i < whole; i += kLanes) look_at(hn::LoadU(kFloats, x + i));
  if (whole < columns) look_at(load_some(x + whole, columns - whole));
  float most = hn::GetLane(hn::MaxOfLanes(kFloats, largest));
#if HWY_TARGET == HWY_SCALAR
  for (int64_t i = 0; i + 1 < columns; i += 2) most = std::max(most, std::fabs(x[i]) + std::fabs(x[i + 1]));
#endif
  // Zero, but NaN if a number is infinite or NaN itself: then so are the row's results.
  const float finite = hn::GetLane(hn::SumOfLanes(kFloats, nothing));
  const float inverse = most > 0.0F && finite == 0.0F ? limit / most : 0.0F;

  const hn::RebindToSigned<Floats> ints;
  const hn::Rebind<int8_t, Floats> bytes;
  const FloatVector factor = hn::Set(kFloats, inverse);
  auto sums = hn::Zero(ints);
  const auto round = [&](FloatVector v) HWY_ATTR {
    const auto rounded = hn::NearestInt(hn::Mul(v, factor));
    sums = hn::Add(sums, rounded);
    return hn::DemoteTo(bytes, rounded);
  };
  for (int64_t i = 0; i < whole; i += kLanes) hn::StoreU(round(hn::LoadU(kFloats, x + i)), bytes, to + i);
  if (whole < stored) {
    HWY_ALIGN int8_t last[kLanes + 4] = {};
    if (whole < columns) hn::StoreU(round(load_some(x + whole, columns - whole)), bytes, last);
    std::memcpy(to + whole, last, static_cast<size_t>(stored - whole));
  }
  // Of a row that is not finite the sum means nothing, and could overflow.
  const int32_t sum = finite == 0.0F ? hn::GetLane(hn::SumOfLanes(ints, sums)) : 0;
  return {.scale = most / limit + finite, .first = sum * -128};
}

void quantize_some_rows(ConstRows x, int64_t columns, const QuantizedRows& out, int64_t begin, int64_t end) {
  const auto limit = static_cast<float>(largest_pair(columns));
  for (int64_t row = begin; row < end; ++row) {
    out.scales[row] =
        quantize_row(x.data + row * x.stride, columns, out.stride, limit, out.data + row * out.stride);
  }
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::kernels {

HWY_EXPORT(quantize_some_rows);

namespace {

int64_t stride_of(int64_t columns) {
  return (columns + 3) / 4 * 4;
}

size_t scales_at(int64_t count, int64_t columns) {
  return static_cast<size_t>((count * stride_of(columns) + 63) / 64 * 64);
}

}  // namespace

size_t QuantizedRows::bytes(int64_t count, int64_t columns) {
  return scales_at(count, columns) + static_cast<size_t>(count) * sizeof(RowScale);
}

QuantizedRows QuantizedRows::in(std::byte* room, int64_t count, int64_t columns) {
  return {.data = reinterpret_cast<int8_t*>(room),
          .stride = stride_of(columns),
          .scales = reinterpret_cast<RowScale*>(room + scales_at(count, columns))};
}

int64_t largest_pair(int64_t columns) {
  return std::min<int64_t>(127, std::numeric_limits<int32_t>::max() / (64 * std::max<int64_t>(columns, 1)));
}

void quantize_rows(Team& team, ConstRows x, int64_t count, int64_t columns, const QuantizedRows& out) {
  const auto quantize = HWY_DYNAMIC_DISPATCH(quantize_some_rows);
  // A few rows are rounded sooner than a team is called together.
  team.split(count, 8, [&](int64_t begin, int64_t end) { quantize(x, columns, out, begin, end); });
}

}  // namespace memsizer::kernels
#endif
