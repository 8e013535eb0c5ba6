#include "decode/step_model.h"

#include <algorithm>
#include <vector>

namespace memsizer::decode {

std::span<float> StepModel::advance_among(std::span<const int32_t> tokens, std::span<const RowGroup> groups) {
  std::vector<ColumnGroup> columns;
  for (const RowGroup& group : groups)
    columns.push_back({group.rows, group.among ? std::span(*group.among) : std::span<const int32_t>()});
  return keep_columns(advance(tokens), static_cast<size_t>(vocab()), columns);
}

std::span<float> keep_columns(std::span<float> scores, size_t width, std::span<const ColumnGroup> groups) {
  // Never ahead of what is read: columns rise.
  const float* from = scores.data();
  float* to = scores.data();
  for (const ColumnGroup& group : groups) {
    for (size_t row = 0; row < group.rows; ++row, from += width) {
      if (group.columns.empty()) {
        to = std::copy_n(from, width, to);
      } else {
        for (const int32_t column : group.columns) *to++ = from[column];
      }
    }
  }
  return scores.first(static_cast<size_t>(to - scores.data()));
}

}  // namespace memsizer::decode
