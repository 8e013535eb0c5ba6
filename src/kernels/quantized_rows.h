#pragma once

#include <cstdint>

#include "kernels/rows_view.h"
#include "kernels/team.h"

namespace memsizer::kernels {

// What stands beside a row of bytes.
struct RowScale {
  float scale;    // what a step of the bytes is worth
  int32_t first;  // what the row's sums begin with: takes off the 128 that all I8 weights are kept larger by
};

// Rows of activations rounded to signed bytes (weights: core/weight_rounding.h), each with a scale of its
// own, for products with I8 weights. Two neighbours are together at most 128 in size, so that 255 times them
// fits 16 bits: processors multiply bytes two at a time into so many.
struct QuantizedRows {
  int8_t* data = nullptr;  // [count, stride], zeros behind the columns
  int64_t stride = 0;      // a multiple of 4
  RowScale* scales = nullptr;

  // Bytes that so many rows need, in one piece of memory.
  static size_t bytes(int64_t count, int64_t columns);
  // Rows in `room`, which has that many bytes.
  static QuantizedRows in(std::byte* room, int64_t count, int64_t columns);
};

// The largest sum of two neighbours' sizes before rounding: smaller than 127 only where a row is so long that
// its sums with weights might leave 32 bits.
int64_t largest_pair(int64_t columns);

// Rounds `count` rows of `columns` numbers. A row with a number that is not finite has a scale that is NaN.
void quantize_rows(Team& team, ConstRows x, int64_t count, int64_t columns, const QuantizedRows& out);

}  // namespace memsizer::kernels
