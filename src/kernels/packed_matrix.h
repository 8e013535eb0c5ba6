#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/weight_type.h"
#include "kernels/aligned_buffer.h"
#include "kernels/arena.h"
#include "kernels/team.h"

namespace memsizer::kernels {

// A weight matrix [rows, columns] as the matrix kernels want it: panels of 16 rows, within a panel the
// columns in turn, so that a product reads one stream and needs no sums across a vector. A row has 4 bytes in
// turn: one column of F32, two of BF16, four of I8, which are easily taken apart in registers. I8 numbers are
// kept 128 larger, as unsigned bytes: these are widened by one instruction, and a product takes the excess
// off.
class PackedMatrix {
 public:
  static constexpr int64_t kPanelRows = 16;

  PackedMatrix() = default;
  // In memory of the arena, if there is one. All rows are to be set before it is used.
  PackedMatrix(WeightType type, int64_t rows, int64_t columns, std::shared_ptr<Arena> arena = nullptr);

  WeightType type() const { return type_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t panels() const { return (rows_ + kPanelRows - 1) / kPanelRows; }
  size_t bytes() const { return static_cast<size_t>(panels() * panel_bytes_) + scales_.bytes(); }

  // Fills rows from `first` on with row-major numbers [n, columns], which BF16 and I8 round as files do
  // (core/weight_rounding.h).
  void set_rows(int64_t first, std::span<const float> numbers);
  // The same for rows quantised already, a scale each (I8 only).
  void set_rows(int64_t first, std::span<const int8_t> numbers, std::span<const float> scales);

  // What row `row` stands for, [columns].
  void copy_row(int64_t row, float* out) const;

  // A matrix of some of the rows, for a vocabulary's shortlist.
  PackedMatrix selected(Team& team, std::span<const int32_t> rows) const;

  // Where panel `panel` begins, and the scales of its rows (I8).
  const std::byte* panel(int64_t panel) const { return data_ + panel * panel_bytes_; }
  const float* scales(int64_t panel) const { return scales_.data() + panel * kPanelRows; }

 private:
  // Where the number of (row, column) is kept.
  size_t position(int64_t row, int64_t column) const;
  // What a row has in turn, 4 bytes each.
  int64_t units() const { return panel_bytes_ / (kPanelRows * int64_t{sizeof(uint32_t)}); }
  // Where the first unit of a row is; its others follow at distances of 16.
  uint32_t* first_unit(int64_t row);
  const uint32_t* first_unit(int64_t row) const;

  WeightType type_ = WeightType::F32;
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  int64_t panel_bytes_ = 0;
  std::shared_ptr<Arena> arena_;
  std::byte* data_ = nullptr;  // in the arena
  AlignedBuffer<float> scales_;
};

}  // namespace memsizer::kernels
