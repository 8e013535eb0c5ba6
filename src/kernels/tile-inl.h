// What matrix products are made of: a few rows of numbers times one or a few panels of weights, for a stretch
// of the columns. Included once for each instruction set, hence the guard that flips.
#if defined(MEMSIZER_KERNELS_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MEMSIZER_KERNELS_TILE_INL_H
#undef MEMSIZER_KERNELS_TILE_INL_H
#else
#define MEMSIZER_KERNELS_TILE_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/packed_matrix.h"
#include "kernels/vectors-inl.h"

#ifndef MEMSIZER_KERNELS_TILE_ONCE
#define MEMSIZER_KERNELS_TILE_ONCE
namespace memsizer::kernels {

inline constexpr int64_t kPanelRows = PackedMatrix::kPanelRows;
// What the rows of a panel have in turn, a unit: one column of F32, two of BF16, four of I8.
inline constexpr int64_t kUnitBytes = kPanelRows * int64_t{sizeof(uint32_t)};

template <WeightType kType>
inline constexpr int64_t kUnitColumns = kType == WeightType::F32    ? 1
                                        : kType == WeightType::BF16 ? 2
                                                                    : 4;
// What weights of a type are multiplied with.
template <WeightType kType>
using NumberOf = std::conditional_t<kType == WeightType::I8, int8_t, float>;

// Weights brought near by hand while others are multiplied: none; those a little ahead in the same panels; or
// a line from elsewhere for every few units.
enum class Fetch { Nothing, Ahead, Elsewhere };

// Each sum is one chain of additions in the order of the columns, in every tile alike, so that it has the
// same bits in any company; it may be put down and taken up again on the way.
template <WeightType kType>
struct Tile {
  const std::byte* weights;  // of the first column
  int64_t panel_bytes;       // from one panel to the next
  const NumberOf<kType>* x;
  int64_t stride;
  int64_t columns;  // of I8, whole units
  float* sums;      // [rows, panels, 16]; of I8 the bits of integers
  bool fresh;       // whether sums begin at zero, or go on from what they are
  const std::byte* elsewhere = nullptr;
};

}  // namespace memsizer::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

// Vectors a panel.
inline constexpr int kVectors = static_cast<int>(kPanelRows / kLanes);
// Units computed in one turn of the loop.
inline constexpr int kTurnUnits = 4;
inline constexpr int64_t kFetchAheadBytes = 512;

// Says that a sum is needed here, in a register. g++ 12 otherwise adds integers in another order and
// multiplies into the register of x, and either way has not enough registers.
template <typename V>
HWY_INLINE void keep(V& sum) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  asm volatile("" : "+v"(sum.raw));
#else
  static_cast<void>(sum);
#endif
}

// Makes the compiler load anew what is at `at`, rather than keep it in registers that are all needed for
// sums.
HWY_INLINE void forget_loads(const std::byte*& at) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  asm volatile("" : "+r"(at));
#else
  static_cast<void>(at);
#endif
}

// How a vector of one column's weights is loaded, and what of x is multiplied with it.
struct FloatColumn {
  static HWY_INLINE FloatVector everywhere(const float* x) { return hn::Set(kFloats, *x); }
};
struct F32Column : FloatColumn {
  static HWY_INLINE FloatVector load(const std::byte* at) {
    return hn::Load(kFloats, reinterpret_cast<const float*>(at));
  }
};

// The first and the second of two columns: a bfloat16 is the upper half of a float.
using FloatBits = hn::RebindToUnsigned<Floats>;
inline constexpr FloatBits kFloatBits;
struct EvenBf16Column : FloatColumn {
  static HWY_INLINE FloatVector load(const std::byte* at) {
    const auto both = hn::Load(kFloatBits, reinterpret_cast<const uint32_t*>(at));
    return hn::BitCast(kFloats, hn::ShiftLeft<16>(both));
  }
};
struct OddBf16Column : FloatColumn {
  static HWY_INLINE FloatVector load(const std::byte* at) {
    const auto both = hn::Load(kFloatBits, reinterpret_cast<const uint32_t*>(at));
    return hn::BitCast(kFloats, hn::And(both, hn::Set(kFloatBits, 0xFFFF0000U)));
  }
};

HWY_INLINE void add_product(FloatVector weights, FloatVector x, FloatVector& sum) {
#if HWY_COMPILER_GCC_ACTUAL && (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
  // The instruction itself, as g++ 12 likes to choose the ones that overwrite x or the weights with the sum
  // and then has to move the sum back, if not by way of memory.
  asm("vfmadd231ps %1, %2, %0" : "+v"(sum.raw) : "vm"(weights.raw), "v"(x.raw));
#else
  sum = hn::MulAdd(weights, x, sum);
#endif
}
HWY_INLINE void set_zero(FloatVector& sum) {
  sum = hn::Zero(kFloats);
}
HWY_INLINE void take_up(const float* from, FloatVector& sum) {
  sum = hn::Load(kFloats, from);
}
HWY_INLINE FloatVector as_floats(FloatVector sum) {
  return sum;
}

using Ints = hn::RebindToSigned<Floats>;
using IntVector = hn::Vec<Ints>;
inline constexpr Ints kInts;

#if HWY_TARGET != HWY_SCALAR

using Shorts = hn::RepartitionToNarrow<Ints>;
using ShortVector = hn::Vec<Shorts>;
using Bytes = hn::RepartitionToNarrow<Shorts>;
inline constexpr Shorts kShorts;
inline constexpr Bytes kBytes;

// Four columns of bytes a lane: weights without, numbers with a sign. Types apart, so that a product cannot
// take one for the other.
struct WeightBytes {
  hn::Vec<Bytes> bytes;
};
struct NumberBytes {
  hn::Vec<Bytes> bytes;
};
struct I8Columns {
  static HWY_INLINE NumberBytes everywhere(const int8_t* x) {
    int32_t four = 0;
    std::memcpy(&four, x, sizeof four);
    return {hn::BitCast(kBytes, hn::Set(kInts, four))};
  }
  static HWY_INLINE WeightBytes load(const std::byte* at) {
    return {hn::Load(kBytes, reinterpret_cast<const int8_t*>(at))};
  }
};

struct IntSums {
  IntVector even;
#if !HWY_ARCH_X86 || HWY_TARGET == HWY_EMU128
  IntVector odd;  // the multiply-add of others leaves the sums of neighbours apart
#endif
};

#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128

HWY_INLINE __m128i pair_products(__m128i weights, __m128i x) {
  return _mm_maddubs_epi16(weights, x);
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE __m256i pair_products(__m256i weights, __m256i x) {
  return _mm256_maddubs_epi16(weights, x);
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE __m512i pair_products(__m512i weights, __m512i x) {
  return _mm512_maddubs_epi16(weights, x);
}
#endif

HWY_INLINE void add_product(WeightBytes weights, NumberBytes x, IntSums& sums) {
  const ShortVector pairs{pair_products(weights.bytes.raw, x.bytes.raw)};
  IntVector none = hn::Zero(kInts);
  sums.even = hn::ReorderWidenMulAccumulate(kInts, pairs, hn::Set(kShorts, int16_t{1}), sums.even, none);
  keep(sums.even);
}
HWY_INLINE void set_zero(IntSums& sums) {
  sums.even = hn::Zero(kInts);
}
HWY_INLINE IntVector whole(const IntSums& sums) {
  return sums.even;
}

#else

HWY_INLINE void add_product(WeightBytes weights, NumberBytes x, IntSums& sums) {
  const hn::RebindToUnsigned<Shorts> unsigned_shorts;
  const auto both = hn::BitCast(unsigned_shorts, weights.bytes);
  const auto first = hn::BitCast(kShorts, hn::And(both, hn::Set(unsigned_shorts, uint16_t{0xFF})));
  const auto second = hn::BitCast(kShorts, hn::ShiftRight<8>(both));
  const ShortVector numbers = hn::BitCast(kShorts, x.bytes);
  const ShortVector first_numbers = hn::ShiftRight<8>(hn::ShiftLeft<8>(numbers));
  sums.even = hn::ReorderWidenMulAccumulate(kInts, first, first_numbers, sums.even, sums.odd);
  sums.even = hn::ReorderWidenMulAccumulate(kInts, second, hn::ShiftRight<8>(numbers), sums.even, sums.odd);
}
HWY_INLINE void set_zero(IntSums& sums) {
  sums.even = hn::Zero(kInts);
  sums.odd = hn::Zero(kInts);
}
HWY_INLINE IntVector whole(const IntSums& sums) {
  return hn::RearrangeToOddPlusEven(sums.even, sums.odd);
}

#endif

HWY_INLINE void take_up(const float* from, IntSums& sums) {
  set_zero(sums);
  sums.even = hn::BitCast(kInts, hn::Load(kFloats, from));
}
HWY_INLINE FloatVector as_floats(const IntSums& sums) {
  return hn::BitCast(kFloats, whole(sums));
}

#endif

// Packs hold the sums of one row, packs of packs those of a tile.
template <typename S, int kSize>
HWY_INLINE void begin_row(const float* from, bool fresh, Pack<S, kSize>& sums) {
  if (fresh) {
    set_zero(sums.first);
  } else {
    take_up(from, sums.first);
  }
  if constexpr (kSize > 1) begin_row(from + kLanes, fresh, sums.rest);
}
template <typename S, int kSize, int kRows>
HWY_INLINE void begin_sums(const float* from, bool fresh, Pack<Pack<S, kSize>, kRows>& sums) {
  begin_row(from, fresh, sums.first);
  if constexpr (kRows > 1) begin_sums(from + kSize * kLanes, fresh, sums.rest);
}
template <typename S, int kSize>
HWY_INLINE void put_down_row(const Pack<S, kSize>& sums, float* to) {
  hn::Store(as_floats(sums.first), kFloats, to);
  if constexpr (kSize > 1) put_down_row(sums.rest, to + kLanes);
}
template <typename S, int kSize, int kRows>
HWY_INLINE void put_down(const Pack<Pack<S, kSize>, kRows>& sums, float* to) {
  put_down_row(sums.first, to);
  if constexpr (kRows > 1) put_down(sums.rest, to + kSize * kLanes);
}

// Where vector kIndex of a strip of panels is, in bytes from its first one.
template <int kIndex>
HWY_INLINE int64_t vector_offset(int64_t panel_bytes) {
  return kIndex / kVectors * panel_bytes + kIndex % kVectors * kLanes * int64_t{sizeof(float)};
}

template <typename Column, int kIndex = 0, typename V, int kSize>
HWY_INLINE void load_strip(const std::byte* at, int64_t panel_bytes, Pack<V, kSize>& weights) {
  weights.first = Column::load(at + vector_offset<kIndex>(panel_bytes));
  if constexpr (kSize > 1) load_strip<Column, kIndex + 1>(at, panel_bytes, weights.rest);
}

// The weights of a strip, loaded already or as they are needed, times one x.
template <typename W, typename X, typename S, int kSize>
HWY_INLINE void add_strip(const Pack<W, kSize>& weights, X x, Pack<S, kSize>& sums) {
  add_product(weights.first, x, sums.first);
  if constexpr (kSize > 1) add_strip(weights.rest, x, sums.rest);
}
template <typename Column, int kIndex = 0, typename X, typename S, int kSize>
HWY_INLINE void add_strip_at(const std::byte* at, int64_t panel_bytes, X x, Pack<S, kSize>& sums) {
  add_product(Column::load(at + vector_offset<kIndex>(panel_bytes)), x, sums.first);
  if constexpr (kSize > 1) add_strip_at<Column, kIndex + 1>(at, panel_bytes, x, sums.rest);
}

template <typename Column, typename W, typename Number, typename S, int kSize, int kRows>
HWY_INLINE void add_rows(const Pack<W, kSize>& weights, const Number* x, int64_t stride,
                         Pack<Pack<S, kSize>, kRows>& sums) {
  add_strip(weights, Column::everywhere(x), sums.first);
  if constexpr (kRows > 1) add_rows<Column>(weights, x + stride, stride, sums.rest);
}

template <typename Column, typename Number, typename S, int kSize, int kRows>
HWY_INLINE void add_column(const std::byte* at, int64_t panel_bytes, const Number* x, int64_t stride,
                           Pack<Pack<S, kSize>, kRows>& sums) {
  if constexpr (kRows == 1) {
    add_strip_at<Column>(at, panel_bytes, Column::everywhere(x), sums.first);
  } else {
    Pack<decltype(Column::load(at)), kSize> weights;
    load_strip<Column>(at, panel_bytes, weights);
    add_rows<Column>(weights, x, stride, sums);
  }
}

template <WeightType kType, typename Sums>
HWY_INLINE void add_unit(const std::byte* at, int64_t panel_bytes, const NumberOf<kType>* x, int64_t stride,
                         Sums& sums) {
  if constexpr (kType == WeightType::F32) {
    add_column<F32Column>(at, panel_bytes, x, stride, sums);
  } else if constexpr (kType == WeightType::BF16) {
    add_column<EvenBf16Column>(at, panel_bytes, x, stride, sums);
    forget_loads(at);
    add_column<OddBf16Column>(at, panel_bytes, x + 1, stride, sums);
  } else {
#if HWY_TARGET != HWY_SCALAR
    add_column<I8Columns>(at, panel_bytes, x, stride, sums);
#endif
  }
}

#if HWY_TARGET != HWY_SCALAR
template <WeightType kType>
using SumOf = std::conditional_t<kType == WeightType::I8, IntSums, FloatVector>;
#else
template <WeightType kType>
using SumOf = FloatVector;

// Without vectors there are no bytes in lanes: one number after the other.
HWY_INLINE void multiply_bytes(const Tile<WeightType::I8>& tile) {
  for (int64_t lane = 0; lane < kPanelRows; ++lane) {
    // Unsigned, so that the sums may wrap around.
    uint32_t sum = 0;
    if (!tile.fresh) std::memcpy(&sum, tile.sums + lane, sizeof sum);
    for (int64_t i = 0; i < tile.columns; i += 4) {
      const auto* four = reinterpret_cast<const uint8_t*>(tile.weights) + (i * kPanelRows + lane * 4);
      for (int64_t c = 0; c < 4; ++c) sum += static_cast<uint32_t>(four[c] * tile.x[i + c]);
    }
    std::memcpy(tile.sums + lane, &sum, sizeof sum);
  }
}
#endif

template <WeightType kType, int kUnits, int kPanels, Fetch kFetch, typename Sums>
HWY_INLINE void add_turn(const std::byte* weights, int64_t panel_bytes, const NumberOf<kType>* x,
                         int64_t stride, Sums& sums) {
  if constexpr (kFetch == Fetch::Ahead) {
    for (int p = 0; p < kPanels; ++p) hwy::Prefetch(weights + p * panel_bytes + kFetchAheadBytes);
  }
  add_unit<kType>(weights, panel_bytes, x, stride, sums);
  if constexpr (kUnits > 1) {
    add_turn<kType, kUnits - 1, kPanels, kFetch>(weights + kUnitBytes, panel_bytes, x + kUnitColumns<kType>,
                                                 stride, sums);
  }
}

// Turns of so many units each. One loop and nothing else, or g++ 12 keeps the sums in memory.
template <WeightType kType, int kUnits, int kRows, int kPanels, Fetch kFetch>
HWY_INLINE void multiply_turns(const Tile<kType>& tile, int64_t turns) {
  const int64_t panel_bytes = tile.panel_bytes;
  const int64_t stride = tile.stride;
  const std::byte* weights = tile.weights;
  const std::byte* elsewhere = tile.elsewhere;
  const NumberOf<kType>* x = tile.x;
  Pack<Pack<SumOf<kType>, kPanels * kVectors>, kRows> sums;
  begin_sums(tile.sums, tile.fresh, sums);
  for (; turns > 0; --turns) {
    if constexpr (kFetch == Fetch::Elsewhere) {
      hwy::Prefetch(elsewhere);
      elsewhere += kUnitBytes;
    }
    add_turn<kType, kUnits, kPanels, kFetch>(weights, panel_bytes, x, stride, sums);
    weights += kUnits * kUnitBytes;
    x += kUnits * kUnitColumns<kType>;
  }
  put_down(sums, tile.sums);
}

// The last columns, fewer than a turn.
template <WeightType kType, int kRows, int kPanels>
HWY_NOINLINE void multiply_rest(Tile<kType> tile, int64_t done) {
  const int64_t units = tile.columns / kUnitColumns<kType>;
  tile.weights += done * kUnitBytes;
  tile.x += done * kUnitColumns<kType>;
  tile.fresh = false;
  multiply_turns<kType, 1, kRows, kPanels, Fetch::Nothing>(tile, units - done);
  if constexpr (kType == WeightType::BF16) {
    if (tile.columns % 2 == 0) return;
    Pack<Pack<FloatVector, kPanels * kVectors>, kRows> sums;
    begin_sums(tile.sums, false, sums);
    add_column<EvenBf16Column>(tile.weights + (units - done) * kUnitBytes, tile.panel_bytes,
                               tile.x + (units - done) * 2, tile.stride, sums);
    put_down(sums, tile.sums);
  }
}

template <WeightType kType, int kRows, int kPanels, Fetch kFetch>
void multiply_tile(const Tile<kType>& tile) {
#if HWY_TARGET == HWY_SCALAR
  if constexpr (kType == WeightType::I8) {
    static_assert(kRows == 1 && kPanels == 1);
    return multiply_bytes(tile);
  }
#endif
  const int64_t turns = tile.columns / (kTurnUnits * kUnitColumns<kType>);
  multiply_turns<kType, kTurnUnits, kRows, kPanels, kFetch>(tile, turns);
  if (turns * kTurnUnits * kUnitColumns<kType> == tile.columns) return;
  multiply_rest<kType, kRows, kPanels>(tile, turns * kTurnUnits);
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
