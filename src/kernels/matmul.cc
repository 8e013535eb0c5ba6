#include "kernels/matmul.h"

#include <algorithm>

#include "kernels/quantized_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

// How a product is computed. Few rows: the weights are one stream from memory, several panels at a time so
// that the processor has enough sums to overlap. Many rows: a block of a panel's columns stays in the
// first-level cache while all rows are multiplied with it, tile by tile, and the next block is fetched
// meanwhile; sums wait in between.
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
  // Of x, as it is multiplied.
  int64_t columns() const { return weight.type() == WeightType::I8 ? quantized.stride : weight.columns(); }

  // `columns` columns from `column` on of the tile at (row, panel).
  template <WeightType kType>
  Tile<kType> tile(int64_t row, int64_t panel, int64_t column, int64_t columns, float* sums) const {
    Tile<kType> result{.weights = weight.panel(panel) + column / kUnitColumns<kType> * kUnitBytes,
                       .panel_bytes = panel_bytes(),
                       .x = nullptr,
                       .stride = x.stride,
                       .columns = columns,
                       .sums = sums,
                       .fresh = column == 0};
    if constexpr (kType == WeightType::I8) {
      result.x = quantized.data + row * quantized.stride + column;
      result.stride = quantized.stride;
    } else {
      result.x = x.data + row * x.stride + column;
    }
    return result;
  }
};

// The rows and panels of a product that one member computes at a time.
struct Part {
  int64_t first_row;
  int64_t end_row;
  int64_t first_panel;
  int64_t end_panel;
};

// A block of a panel: half of a first-level cache.
inline constexpr int64_t kBlockUnits = (int64_t{16} << 10) / kUnitBytes;
// Rows whose part of a block's columns stays in the second-level cache.
inline constexpr int64_t kBlockRows = 64;
// Panels that share those rows before the next columns' turn.
inline constexpr int64_t kGroupPanels = 4;
// Into how many pieces, for each member of a team, a large product is cut.
inline constexpr int64_t kPiecesOfMember = 8;
// From how many blocks of rows for each member on they are shared out by rows.
inline constexpr int64_t kManyBlocks = 4;
// Reading ahead by hand pays when weights come from memory and costs when they come from a cache.
inline constexpr int64_t kStreamedBytes = int64_t{24} << 20;

}  // namespace memsizer::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

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

template <WeightType kType>
inline constexpr int kMostRows = kType == WeightType::I8 ? kIntegerRows : kFloatRows;

// How many panels a tile of few rows has: enough sums to overlap, and memory delivers several streams faster
// than one.
template <WeightType kType, int kRows>
constexpr int panels_of_tile() {
  if (kType == WeightType::I8 && kLanes == 1) return 1;
  // Integers have two vectors of sums for one on other processors than x86.
  constexpr int kVectorsOfSum = kType == WeightType::I8 && !HWY_ARCH_X86 ? 2 : 1;
  int panels = 4;
  while (panels > 1 && kRows * panels * kVectors * kVectorsOfSum > kManyVectors) panels /= 2;
  return panels;
}

template <Unary kUnary>
HWY_INLINE FloatVector apply(FloatVector x) {
  if constexpr (kUnary == Unary::Relu) return relu_of(x);
  if constexpr (kUnary == Unary::Gelu) return gelu_of(x);
  if constexpr (kUnary == Unary::Sigmoid) return sigmoid_of(x);
  return x;
}

// Sums of a row with neighbouring panels: the panels' sums are `step` numbers apart.
template <Unary kUnary>
void finish_row(const Product& product, int64_t row, int64_t begin, int64_t end, const float* sums,
                int64_t step) {
  const Epilogue& epilogue = product.epilogue;
  const bool integers = product.weight.type() == WeightType::I8;
  const RowScale numbers = integers ? product.quantized.scales[row] : RowScale{};
  const float* add = epilogue.add.data ? epilogue.add.data + row * epilogue.add.stride : nullptr;
  float* out = product.out.data + row * product.out.stride;
  for (int64_t panel = begin; panel < end; ++panel, sums += step) {
    // The last panel may reach beyond the matrix.
    const int64_t width = std::min(product.weight.rows() - panel * kPanelRows, kPanelRows);
    for (int64_t lane = 0; lane < width; lane += kLanes) {
      const int64_t at = panel * kPanelRows + lane;
      const bool full = lane + kLanes <= width;
      const auto load = [&](const float* from) HWY_ATTR {
        return HWY_LIKELY(full) ? hn::LoadU(kFloats, from) : load_some(from, width - lane);
      };
      FloatVector y = hn::Load(kFloats, sums + lane);
      if (integers) {
        const IntVector sum = hn::Add(hn::BitCast(kInts, y), hn::Set(kInts, numbers.first));
        const FloatVector scale = hn::Load(kFloats, product.weight.scales(panel) + lane);
        y = hn::Mul(hn::Mul(hn::ConvertTo(kFloats, sum), hn::Set(kFloats, numbers.scale)), scale);
      }
      if (epilogue.bias) y = hn::Add(y, load(epilogue.bias + at));
      y = apply<kUnary>(y);
      if (add) y = hn::Add(y, load(add + at));
      if (HWY_LIKELY(full)) {
        hn::StoreU(y, kFloats, out + at);
      } else {
        store_some(y, out + at, width - lane);
      }
    }
  }
}

// Sums become outputs: those of row r and panel p are at sums + r * row_step + p * panel_step.
void finish(const Product& product, int64_t row, int64_t rows, int64_t begin, int64_t end, const float* sums,
            int64_t row_step, int64_t panel_step) {
  const auto each = [&](auto finish_one) {
    for (int64_t r = 0; r < rows; ++r)
      finish_one(product, row + r, begin, end, sums + r * row_step, panel_step);
  };
  switch (product.epilogue.unary) {
    case Unary::None:
      return each(finish_row<Unary::None>);
    case Unary::Relu:
      return each(finish_row<Unary::Relu>);
    case Unary::Gelu:
      return each(finish_row<Unary::Gelu>);
    case Unary::Sigmoid:
      return each(finish_row<Unary::Sigmoid>);
  }
}

// All rows, which are at most kRows, times panels [begin, end).
template <WeightType kType, int kRows>
void multiply_few_rows(const Product& product, int64_t begin, int64_t end) {
  if constexpr (kRows > 1) {
    if (product.count < kRows) return multiply_few_rows<kType, kRows - 1>(product, begin, end);
  }
  constexpr int kPanels = panels_of_tile<kType, kRows>();
  const bool streamed = static_cast<int64_t>(product.weight.bytes()) >= kStreamedBytes;
  HWY_ALIGN float sums[kRows * kPanels * kPanelRows];
  const auto multiply = [&]<int kTilePanels>(std::integral_constant<int, kTilePanels>,
                                             int64_t panel) HWY_ATTR {
    const Tile<kType> tile = product.tile<kType>(0, panel, 0, product.columns(), sums);
    if (streamed) {
      multiply_tile<kType, kRows, kTilePanels, Fetch::Ahead>(tile);
    } else {
      multiply_tile<kType, kRows, kTilePanels, Fetch::Nothing>(tile);
    }
    finish(product, 0, kRows, panel, panel + kTilePanels, sums, kTilePanels * kPanelRows, kPanelRows);
  };
  int64_t panel = begin;
  for (; panel + kPanels <= end; panel += kPanels) multiply(std::integral_constant<int, kPanels>(), panel);
  if constexpr (kPanels > 1) {
    for (; panel < end; ++panel) multiply(std::integral_constant<int, 1>(), panel);
  }
}

// A tile of `rows` rows, at most kRows.
template <WeightType kType, int kRows>
void multiply_rows(const Tile<kType>& tile, int64_t rows) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return multiply_rows<kType, kRows - 1>(tile, rows);
  }
  multiply_tile<kType, kRows, 1, Fetch::Elsewhere>(tile);
}

// `rows` rows from `row` on, at most kBlockRows, times panels [begin, end), at most kGroupPanels.
template <WeightType kType>
void multiply_group(const Product& product, int64_t row, int64_t rows, int64_t begin, int64_t end) {
  constexpr int64_t kBlockColumns = kBlockUnits * kUnitColumns<kType>;
  HWY_ALIGN float sums[kGroupPanels][kBlockRows * kPanelRows];
  // Tiles as even as can be: a small one at the end would have too few sums to overlap.
  const int64_t tiles = (rows + kMostRows<kType> - 1) / kMostRows<kType>;
  const int64_t columns = product.columns();
  for (int64_t column = 0; column < columns; column += kBlockColumns) {
    const int64_t width = std::min(kBlockColumns, columns - column);
    for (int64_t panel = begin; panel < end; ++panel) {
      // What comes next: the same columns of the next panel, or the next ones of the first.
      const bool last = panel + 1 == end && column + width < columns;
      const std::byte* next =
          last ? product.weight.panel(begin) + (column + width) / kUnitColumns<kType> * kUnitBytes
               : product.weight.panel(panel + 1);
      const int64_t next_bytes = width / kUnitColumns<kType> * kUnitBytes;
      for (int64_t t = 0; t < tiles; ++t) {
        const int64_t first = rows * t / tiles;
        Tile<kType> tile =
            product.tile<kType>(row + first, panel, column, width, sums[panel - begin] + first * kPanelRows);
        tile.elsewhere = next + next_bytes * t / tiles;
        multiply_rows<kType, kMostRows<kType>>(tile, rows * (t + 1) / tiles - first);
      }
    }
  }
  finish(product, row, rows, begin, end, sums[0], kPanelRows, kBlockRows * kPanelRows);
}

template <WeightType kType>
void multiply(const Product& product, const Part& part) {
  if (product.count <= kMostRows<kType>) {
    return multiply_few_rows<kType, kMostRows<kType>>(product, part.first_panel, part.end_panel);
  }
  const int64_t count = part.end_row - part.first_row;
  const int64_t blocks = (count + kBlockRows - 1) / kBlockRows;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t row = part.first_row + count * block / blocks;
    const int64_t rows = part.first_row + count * (block + 1) / blocks - row;
    for (int64_t panel = part.first_panel; panel < part.end_panel; panel += kGroupPanels) {
      multiply_group<kType>(product, row, rows, panel, std::min(part.end_panel, panel + kGroupPanels));
    }
  }
}

void multiply_part(const Product& product, const Part& part) {
  switch (product.weight.type()) {
    case WeightType::F32:
      return multiply<WeightType::F32>(product, part);
    case WeightType::BF16:
      return multiply<WeightType::BF16>(product, part);
    case WeightType::I8:
      return multiply<WeightType::I8>(product, part);
  }
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::kernels {

HWY_EXPORT(multiply_part);

void matmul(Team& team, const PackedMatrix& weight, ConstRows x, int64_t count, Rows out,
            const Epilogue& epilogue) {
  if (count == 0) return;
  Product product{.weight = weight, .x = x, .count = count, .out = out, .epilogue = epilogue};
  if (weight.type() == WeightType::I8) {
    product.quantized = QuantizedRows::in(team.scratch(QuantizedRows::bytes(count, weight.columns())), count,
                                          weight.columns());
    quantize_rows(team, x, count, weight.columns(), product.quantized);
  }
  const auto multiply = HWY_DYNAMIC_DISPATCH(multiply_part);
  const int64_t panels = weight.panels();
  if (count >= kManyBlocks * kBlockRows * team.size()) {
    // So many rows that the weights are the smaller part: each row is read once, the weights again and again.
    team.share(count, kBlockRows, [&](int64_t begin, int64_t end) {
      multiply(product, {begin, end, 0, panels});
    });
    return;
  }
  // Pieces large enough to be streams and small enough to be shared evenly.
  const int64_t groups = panels / (kGroupPanels * kPiecesOfMember * team.size());
  team.share(panels, kGroupPanels * std::max<int64_t>(groups, 1), [&](int64_t begin, int64_t end) {
    multiply(product, {0, count, begin, end});
  });
}

}  // namespace memsizer::kernels
#endif
