#include "kernels/pack_rows.h"

#include <algorithm>
#include <cstring>

#include "kernels/packed_matrix.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pack_rows.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/highway.h>

#ifndef MEMSIZER_KERNELS_PACK_ROWS_ONCE
#define MEMSIZER_KERNELS_PACK_ROWS_ONCE
namespace memsizer::kernels {

// Rows of a panel, and bytes that a row has in turn.
inline constexpr int64_t kRowsOfPanel = PackedMatrix::kPanelRows;
inline constexpr int64_t kTurnBytes = sizeof(uint32_t);

}  // namespace memsizer::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

inline constexpr int64_t kAtOnce = 1;

HWY_INLINE void transpose(const std::byte* rows, int64_t /*row_bytes*/, uint32_t flip, uint32_t* to) {
  uint32_t unit = 0;
  std::memcpy(&unit, rows, sizeof unit);
  *to = unit ^ flip;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// Units of as many rows that are moved together.
inline constexpr int64_t kAtOnce = 4;

HWY_INLINE void transpose(const std::byte* rows, int64_t row_bytes, uint32_t flip, uint32_t* to) {
  const hn::FixedTag<uint32_t, 4> four;
  const hn::FixedTag<uint64_t, 2> two;
  const auto mask = hn::Set(four, flip);
  const auto row = [&](int64_t i) HWY_ATTR {
    return hn::Xor(hn::LoadU(four, reinterpret_cast<const uint32_t*>(rows + i * row_bytes)), mask);
  };
  const auto r0 = row(0);
  const auto r1 = row(1);
  const auto r2 = row(2);
  const auto r3 = row(3);
  const auto low01 = hn::BitCast(two, hn::InterleaveLower(four, r0, r1));
  const auto low23 = hn::BitCast(two, hn::InterleaveLower(four, r2, r3));
  const auto high01 = hn::BitCast(two, hn::InterleaveUpper(four, r0, r1));
  const auto high23 = hn::BitCast(two, hn::InterleaveUpper(four, r2, r3));
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, low01, low23)), four, to);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, low01, low23)), four, to + kRowsOfPanel);
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, high01, high23)), four, to + 2 * kRowsOfPanel);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, high01, high23)), four, to + 3 * kRowsOfPanel);
}

#endif

void pack_rows(const std::byte* rows, int64_t count, int64_t row_bytes, uint32_t flip, uint32_t* to) {
  const int64_t units = (row_bytes + kTurnBytes - 1) / kTurnBytes;
  const int64_t whole_rows = count / kAtOnce * kAtOnce;
  const int64_t whole_units = row_bytes / kTurnBytes / kAtOnce * kAtOnce;
  for (int64_t u = 0; u < whole_units; u += kAtOnce) {
    for (int64_t i = 0; i < whole_rows; i += kAtOnce) {
      transpose(rows + i * row_bytes + u * kTurnBytes, row_bytes, flip, to + u * kRowsOfPanel + i);
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t u = i < whole_rows ? whole_units : 0; u < units; ++u) {
      uint32_t unit = 0;
      std::memcpy(&unit, rows + i * row_bytes + u * kTurnBytes,
                  static_cast<size_t>(std::min(row_bytes - u * kTurnBytes, kTurnBytes)));
      to[u * kRowsOfPanel + i] = unit ^ flip;
    }
  }
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::kernels {

HWY_EXPORT(pack_rows);

void pack_rows(const std::byte* rows, int64_t count, int64_t row_bytes, uint32_t flip, uint32_t* to) {
  HWY_DYNAMIC_DISPATCH(pack_rows)(rows, count, row_bytes, flip, to);
}

}  // namespace memsizer::kernels
#endif
