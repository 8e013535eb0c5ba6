#include "kernels/matmul.h"

#include <algorithm>

#include "kernels/quantized_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/vectors-inl.h"

// How a product is computed. A tile is kRows rows of x times kPanels panels of the matrix; its sums stay in
// registers while one loop goes over the columns. Each output is one chain of multiply-adds in the order of
// the columns, in every tile alike, so a row's result is the same in any company. Where rows are few, several
// panels at a time give the processor enough chains to overlap.
#ifndef MEMSIZER_KERNELS_MATMUL_ONCE
#define MEMSIZER_KERNELS_MATMUL_ONCE
namespace memsizer::kernels {

// One call of matmul.
struct Product {
  const PackedMatrix& weight;
  ConstRows x;
  int64_t count;
  Rows out;
  const Epilogue& epilogue;
  QuantizedRows quantized{};  // I8 only

  int64_t panel_bytes() const { return weight.panel(1) - weight.panel(0); }
};

inline constexpr int64_t kPanelRows = PackedMatrix::kPanelRows;
// What the rows of a panel have in turn: one column of F32, two of BF16, four of I8.
inline constexpr int64_t kUnitsBytes = kPanelRows * int64_t{sizeof(uint32_t)};
// The rows of x that are multiplied with a panel before the next panel comes: so many that they stay in the
// second-level cache beside the panel.
inline constexpr int64_t kBlockBytes = int64_t{256} << 10;
// Reading ahead by hand pays when weights come from memory and costs when they come from a cache.
inline constexpr int64_t kPrefetchMatrixBytes = int64_t{24} << 20;
inline constexpr int64_t kPrefetchBytes = 512;

// Weights to be fetched into the cache meanwhile: where, and how much further for each 64 bytes of a panel.
struct Ahead {
  const std::byte* at = nullptr;
  int64_t step = 0;
};

}  // namespace memsizer::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

// Vectors a panel.
inline constexpr int kVectors = static_cast<int>(kPanelRows / kLanes);

// The most rows of a tile, and the most vectors of sums it may have with more than one panel, as the
// registers of the instruction set allow.
#if HWY_TARGET == HWY_NEON
inline constexpr int kFloatRows = 6;
inline constexpr int kIntegerRows = 3;  // two vectors of sums for one elsewhere
inline constexpr int kManyVectors = 16;
#elif HWY_TARGET == HWY_SCALAR
inline constexpr int kFloatRows = 1;
inline constexpr int kIntegerRows = 1;
inline constexpr int kManyVectors = 16;
#else
inline constexpr int kFloatRows = kLanes == 16 ? 12 : kLanes == 8 ? 6 : 2;
inline constexpr int kIntegerRows = kLanes == 16 ? 12 : kLanes == 8 ? 4 : 2;
inline constexpr int kManyVectors = kLanes == 16 ? 16 : 8;
#endif

// How many panels a tile has. Sums of integers are ready the next cycle and need no company.
template <WeightType kType, int kRows>
constexpr int panels_of_tile() {
  if (kType == WeightType::I8) return kRows == 1 && kVectors < 4 ? 2 : 1;
  int panels = 4;
  while (panels > 1 && kRows * panels * kVectors > kManyVectors) panels /= 2;
  return panels;
}

template <int kSize>
using FloatPack = Pack<FloatVector, kSize>;

// Where vector kIndex of a strip of panels is, in bytes from its first one.
template <int kIndex>
HWY_INLINE int64_t vector_offset(int64_t panel_bytes) {
  return kIndex / kVectors * panel_bytes + kIndex % kVectors * kLanes * int64_t{sizeof(float)};
}

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

template <typename Column, int kIndex = 0, typename V, int kSize>
HWY_INLINE void load_strip(const std::byte* at, int64_t panel_bytes, Pack<V, kSize>& weights) {
  weights.first = Column::load(at + vector_offset<kIndex>(panel_bytes));
  if constexpr (kSize > 1) load_strip<Column, kIndex + 1>(at, panel_bytes, weights.rest);
}

HWY_INLINE void add_product(FloatVector weights, FloatVector x, FloatVector& sum) {
#if HWY_COMPILER_GCC_ACTUAL && (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
  // The instruction itself, as g++ 12 likes to choose the ones that overwrite x or the weights with the sum
  // and then has to move the sum back, if not by way of memory.
  asm("vfmadd231ps %1, %2, %0" : "+v"(sum.raw) : "vm"(weights.raw), "v"(x.raw));
#else
  sum = hn::MulAdd(weights, x, sum);
#endif
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

// One column of the weights times one number of each row (of I8, two).
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

template <int kSize, int kRows>
HWY_INLINE void set_zero(Pack<FloatPack<kSize>, kRows>& sums) {
  set_zero(sums.first);
  if constexpr (kRows > 1) set_zero(sums.rest);
}

template <int kSize>
HWY_INLINE void store(const FloatPack<kSize>& sums, float* to) {
  hn::Store(sums.first, kFloats, to);
  if constexpr (kSize > 1) store(sums.rest, to + kLanes);
}
template <int kSize, int kRows>
HWY_INLINE void store_rows(const Pack<FloatPack<kSize>, kRows>& sums, float* to) {
  store(sums.first, to);
  if constexpr (kRows > 1) store_rows(sums.rest, to + kSize * kLanes);
}

// The sums of a tile, [kRows, kPanels, 16].
template <int kRows, int kPanels, bool kPrefetch>
void multiply_f32(const Product& product, int64_t row, int64_t panel, Ahead ahead, float* to) {
  const int64_t columns = product.weight.columns();
  const int64_t panel_bytes = product.panel_bytes();
  const std::byte* weights = product.weight.panel(panel);
  const int64_t stride = product.x.stride;
  const float* x = product.x.data + row * stride;
  Pack<FloatPack<kPanels * kVectors>, kRows> sums;
  set_zero(sums);
  for (int64_t column = 0; column < columns; ++column) {
    if constexpr (kPrefetch) {
      for (int p = 0; p < kPanels; ++p) hwy::Prefetch(ahead.at + p * panel_bytes);
      ahead.at += ahead.step;
    }
    add_column<F32Column>(weights, panel_bytes, x + column, stride, sums);
    weights += kUnitsBytes;
  }
  store_rows(sums, to);
}

template <int kRows, int kPanels, bool kPrefetch>
void multiply_bf16(const Product& product, int64_t row, int64_t panel, Ahead ahead, float* to) {
  const int64_t columns = product.weight.columns();
  const int64_t panel_bytes = product.panel_bytes();
  const std::byte* weights = product.weight.panel(panel);
  const int64_t stride = product.x.stride;
  const float* x = product.x.data + row * stride;
  Pack<FloatPack<kPanels * kVectors>, kRows> sums;
  set_zero(sums);
  int64_t column = 0;
  for (; column + 1 < columns; column += 2) {
    if constexpr (kPrefetch) {
      for (int p = 0; p < kPanels; ++p) hwy::Prefetch(ahead.at + p * panel_bytes);
      ahead.at += ahead.step;
    }
    add_column<EvenBf16Column>(weights, panel_bytes, x + column, stride, sums);
    forget_loads(weights);
    add_column<OddBf16Column>(weights, panel_bytes, x + column + 1, stride, sums);
    weights += kUnitsBytes;
  }
  if (column < columns) {
    add_column<EvenBf16Column>(weights, panel_bytes, x + column, stride, sums);
  }
  store_rows(sums, to);
}

#if HWY_TARGET != HWY_SCALAR

using Ints = hn::RebindToSigned<Floats>;
using IntVector = hn::Vec<Ints>;
using Shorts = hn::RepartitionToNarrow<Ints>;
using ShortVector = hn::Vec<Shorts>;
using Bytes = hn::RepartitionToNarrow<Shorts>;
inline constexpr Ints kInts;
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
struct I8Column {
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
#if !HWY_ARCH_X86
  IntVector odd;  // the multiply-add of others leaves the sums of neighbours apart
#endif
};

#if HWY_ARCH_X86

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

HWY_INLINE IntVector whole_sums(const IntSums& sums) {
  return sums.even;
}

#else

HWY_INLINE void add_product(WeightBytes weights, NumberBytes x, IntSums& sums) {
  const hn::RebindToUnsigned<Shorts> unsigned_shorts;
  const auto both = hn::BitCast(unsigned_shorts, weights.bytes);
  const auto first = hn::BitCast(kShorts, hn::And(both, hn::Set(unsigned_shorts, uint16_t{0xFF})));
  const auto second = hn::BitCast(kShorts, hn::ShiftRight<8>(both));
  const ShortVector numbers = hn::BitCast(kShorts, x.bytes);
  sums.even = hn::ReorderWidenMulAccumulate(kInts, first, hn::ShiftRight<8>(hn::ShiftLeft<8>(numbers)),
                                            sums.even, sums.odd);
  sums.even = hn::ReorderWidenMulAccumulate(kInts, second, hn::ShiftRight<8>(numbers), sums.even, sums.odd);
}

HWY_INLINE IntVector whole_sums(const IntSums& sums) {
  return hn::RearrangeToOddPlusEven(sums.even, sums.odd);
}

#endif

HWY_INLINE FloatVector as_floats(const IntSums& sums, int32_t first) {
  return hn::ConvertTo(kFloats, hn::Add(whole_sums(sums), hn::Set(kInts, first)));
}

template <int kSize>
using IntPack = Pack<IntSums, kSize>;

template <int kSize>
HWY_INLINE void set_zero(IntPack<kSize>& sums) {
  sums.first.even = hn::Zero(kInts);
#if !HWY_ARCH_X86
  sums.first.odd = hn::Zero(kInts);
#endif
  if constexpr (kSize > 1) set_zero(sums.rest);
}
template <int kSize, int kRows>
HWY_INLINE void set_zero(Pack<IntPack<kSize>, kRows>& sums) {
  set_zero(sums.first);
  if constexpr (kRows > 1) set_zero(sums.rest);
}

template <int kSize>
HWY_INLINE void store(const IntPack<kSize>& sums, int32_t first, float* to) {
  hn::Store(as_floats(sums.first, first), kFloats, to);
  if constexpr (kSize > 1) store(sums.rest, first, to + kLanes);
}
template <int kSize, int kRows>
HWY_INLINE void store_rows(const Pack<IntPack<kSize>, kRows>& sums, const RowScale* rows, float* to) {
  store(sums.first, rows->first, to);
  if constexpr (kRows > 1) store_rows(sums.rest, rows + 1, to + kSize * kLanes);
}

// Sums may wrap around on the way, as the 128 too much may be large; the differences at the end are exact.
template <int kRows, int kPanels, bool kPrefetch>
void multiply_i8(const Product& product, int64_t row, int64_t panel, Ahead ahead, float* to) {
  const QuantizedRows& numbers = product.quantized;
  const int64_t panel_bytes = product.panel_bytes();
  const std::byte* weights = product.weight.panel(panel);
  const int64_t stride = numbers.stride;
  const int8_t* x = numbers.data + row * stride;
  Pack<IntPack<kPanels * kVectors>, kRows> sums;
  set_zero(sums);
  for (int64_t column = 0; column < stride; column += 4) {
    if constexpr (kPrefetch) {
      for (int p = 0; p < kPanels; ++p) hwy::Prefetch(ahead.at + p * panel_bytes);
      ahead.at += ahead.step;
    }
    add_column<I8Column>(weights, panel_bytes, x + column, stride, sums);
    weights += kUnitsBytes;
  }
  store_rows(sums, numbers.scales + row, to);
}

#else

template <int kRows, int kPanels, bool kPrefetch>
void multiply_i8(const Product& product, int64_t row, int64_t panel, Ahead /*ahead*/, float* to) {
  const auto* weights = reinterpret_cast<const uint8_t*>(product.weight.panel(panel));
  const QuantizedRows& numbers = product.quantized;
  const int8_t* x = numbers.data + row * numbers.stride;
  for (int64_t lane = 0; lane < kPanelRows; ++lane) {
    // Unsigned, so that the sums may wrap around.
    auto sum = static_cast<uint32_t>(numbers.scales[row].first);
    for (int64_t i = 0; i < numbers.stride; i += 4) {
      const uint8_t* four = weights + (i * kPanelRows + lane * 4);
      for (int64_t c = 0; c < 4; ++c) sum += static_cast<uint32_t>(four[c] * x[i + c]);
    }
    to[lane] = static_cast<float>(static_cast<int32_t>(sum));
  }
}

#endif

HWY_INLINE FloatVector apply(Unary unary, FloatVector x) {
  switch (unary) {
    case Unary::None:
      return x;
    case Unary::Relu:
      return relu_of(x);
    case Unary::Gelu:
      return gelu_of(x);
    case Unary::Sigmoid:
      return sigmoid_of(x);
  }
  return x;
}

// Sixteen sums of a row, of which the last may be beyond the matrix, become outputs.
void finish_panel(const Product& product, int64_t row, int64_t panel, const float* sums) {
  const Epilogue& epilogue = product.epilogue;
  const int64_t begin = panel * kPanelRows;
  const bool integers = product.weight.type() == WeightType::I8;
  const FloatVector row_scale = hn::Set(kFloats, integers ? product.quantized.scales[row].scale : 1.0F);
  for (int64_t lane = 0; lane < kPanelRows; lane += kLanes) {
    const int64_t at = begin + lane;
    const int64_t there = product.weight.rows() - at;
    if (there <= 0) return;
    const bool whole = there >= kLanes;
    const auto load = [&](const float* from)
                          HWY_ATTR { return whole ? hn::LoadU(kFloats, from) : load_some(from, there); };
    FloatVector y = hn::Load(kFloats, sums + lane);
    if (integers) {
      const FloatVector scale = hn::Load(kFloats, product.weight.scales(panel) + lane);
      y = hn::Mul(hn::Mul(y, row_scale), scale);
    }
    if (epilogue.bias) y = hn::Add(y, load(epilogue.bias + at));
    y = apply(epilogue.unary, y);
    if (epilogue.add.data) y = hn::Add(y, load(epilogue.add.data + row * epilogue.add.stride + at));
    float* to = product.out.data + row * product.out.stride + at;
    if (whole) {
      hn::StoreU(y, kFloats, to);
    } else {
      store_some(y, to, there);
    }
  }
}

template <WeightType kType, int kRows, int kPanels, bool kPrefetch>
void multiply_tile(const Product& product, int64_t row, int64_t panel, Ahead ahead) {
  HWY_ALIGN float sums[kRows * kPanels * kPanelRows];
  if constexpr (kType == WeightType::F32)
    multiply_f32<kRows, kPanels, kPrefetch>(product, row, panel, ahead, sums);
  if constexpr (kType == WeightType::BF16)
    multiply_bf16<kRows, kPanels, kPrefetch>(product, row, panel, ahead, sums);
  if constexpr (kType == WeightType::I8)
    multiply_i8<kRows, kPanels, kPrefetch>(product, row, panel, ahead, sums);
  for (int r = 0; r < kRows; ++r) {
    for (int p = 0; p < kPanels; ++p) {
      finish_panel(product, row + r, panel + p, sums + (r * kPanels + p) * kPanelRows);
    }
  }
}

// `rows` rows, at most kRows, from `row` on, times panels [begin, end). Without `ahead`, one row fetches
// nothing and more fetch what is there, which costs them little.
template <WeightType kType, int kRows>
void multiply_rows(const Product& product, int64_t row, int64_t rows, int64_t begin, int64_t end,
                   Ahead ahead) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return multiply_rows<kType, kRows - 1>(product, row, rows, begin, end, ahead);
  }
  constexpr int kPanels = panels_of_tile<kType, kRows>();
  // Products of many rows with I8 weights wait for the units and not for the weights.
  constexpr bool kPrefetch = kRows > 1 && kType != WeightType::I8;
  const bool stream =
      ahead.at == nullptr && static_cast<int64_t>(product.weight.bytes()) >= kPrefetchMatrixBytes;
  int64_t panel = begin;
  for (; panel + kPanels <= end; panel += kPanels) {
    const Ahead near =
        ahead.at ? ahead : Ahead{product.weight.panel(panel) + (stream ? kPrefetchBytes : 0), kUnitsBytes};
    if constexpr (kRows == 1) {
      if (stream) {
        multiply_tile<kType, kRows, kPanels, true>(product, row, panel, near);
        continue;
      }
    }
    multiply_tile<kType, kRows, kPanels, kPrefetch>(product, row, panel, near);
  }
  if constexpr (kPanels > 1) {
    for (; panel < end; ++panel) multiply_tile<kType, kRows, 1, false>(product, row, panel, {});
  }
}

template <WeightType kType>
void multiply_all_rows(const Product& product, int64_t begin, int64_t end) {
  constexpr int kMostRows = kType == WeightType::I8 ? kIntegerRows : kFloatRows;
  constexpr int64_t kNumberBytes = kType == WeightType::I8 ? sizeof(int8_t) : sizeof(float);
  const int64_t row_bytes = std::max<int64_t>(product.weight.columns() * kNumberBytes, 1);
  const int64_t block = std::max<int64_t>(kBlockBytes / row_bytes, 4 * kMostRows);
  const int64_t blocks = (product.count + block - 1) / block;
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t first = product.count * b / blocks;
    const int64_t last = product.count * (b + 1) / blocks;
    // Tiles as even as can be: a small one at the end would have too few chains.
    const int64_t tiles = (last - first + kMostRows - 1) / kMostRows;
    const int64_t step = tiles == 1 ? end - begin : 1;
    for (int64_t panel = begin; panel < end; panel += step) {
      for (int64_t t = 0; t < tiles; ++t) {
        const int64_t row = first + (last - first) * t / tiles;
        const int64_t rows = first + (last - first) * (t + 1) / tiles - row;
        // Each tile of a panel brings its share of the next panel near, while this one is in the cache.
        Ahead ahead;
        if (tiles > 1) {
          ahead.at = product.weight.panel(panel + 1) + product.panel_bytes() * t / tiles;
          ahead.step = (kUnitsBytes + tiles - 1) / tiles;
        }
        multiply_rows<kType, kMostRows>(product, row, rows, panel, panel + step, ahead);
      }
    }
  }
}

void multiply_panels(const Product& product, int64_t begin, int64_t end) {
  switch (product.weight.type()) {
    case WeightType::F32:
      return multiply_all_rows<WeightType::F32>(product, begin, end);
    case WeightType::BF16:
      return multiply_all_rows<WeightType::BF16>(product, begin, end);
    case WeightType::I8:
      return multiply_all_rows<WeightType::I8>(product, begin, end);
  }
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::kernels {

HWY_EXPORT(multiply_panels);

void matmul(Team& team, const PackedMatrix& weight, ConstRows x, int64_t count, Rows out,
            const Epilogue& epilogue) {
  if (count == 0) return;
  Product product{.weight = weight, .x = x, .count = count, .out = out, .epilogue = epilogue};
  if (weight.type() == WeightType::I8) {
    product.quantized = QuantizedRows::in(team.scratch(QuantizedRows::bytes(count, weight.columns())), count,
                                          weight.columns());
    quantize_rows(team, x, count, weight.columns(), product.quantized);
  }
  const auto multiply = HWY_DYNAMIC_DISPATCH(multiply_panels);
  team.split(weight.panels(), 1, [&](int64_t begin, int64_t end) { multiply(product, begin, end); });
}

}  // namespace memsizer::kernels
#endif
