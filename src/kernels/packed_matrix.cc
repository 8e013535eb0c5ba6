#include "kernels/packed_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace memsizer::kernels {
namespace {

int64_t number_bytes(WeightType type) {
  switch (type) {
    case WeightType::F32:
      return 4;
    case WeightType::BF16:
      return 2;
    case WeightType::I8:
      return 1;
  }
  throw std::logic_error("weight type without a size");
}

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

float from_bf16(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

}  // namespace

float quantize_row(std::span<const float> row, std::span<int8_t> out) {
  float largest = 0.0F;
  for (const float value : row) largest = std::max(largest, std::fabs(value));
  const float scale = largest / 127.0F;
  const float inverse = scale > 0.0F ? 1.0F / scale : 0.0F;
  for (size_t i = 0; i < row.size(); ++i) {
    const float rounded = std::nearbyint(row[i] * inverse);
    out[i] = static_cast<int8_t>(std::clamp(rounded, -127.0F, 127.0F));
  }
  return scale;
}

PackedMatrix::PackedMatrix(WeightType type, int64_t rows, int64_t columns)
    : type_(type), rows_(rows), columns_(columns) {
  const int64_t stored_columns = type == WeightType::I8 ? (columns + 1) / 2 * 2 : columns;
  panel_bytes_ = kPanelRows * stored_columns * number_bytes(type);
  data_ = AlignedBuffer<std::byte>(static_cast<size_t>(panels() * panel_bytes_));
  if (type == WeightType::I8) scales_ = AlignedBuffer<float>(static_cast<size_t>(panels() * kPanelRows));
}

size_t PackedMatrix::position(int64_t row, int64_t column) const {
  const int64_t lane = row % kPanelRows;
  const int64_t in_panel = type_ == WeightType::I8 ? (column / 2 * kPanelRows + lane) * 2 + column % 2
                                                   : column * kPanelRows + lane;
  return static_cast<size_t>(row / kPanelRows * panel_bytes_ + in_panel * number_bytes(type_));
}

void PackedMatrix::set_rows(int64_t first, std::span<const float> numbers) {
  const int64_t count = static_cast<int64_t>(numbers.size()) / columns_;
  if (type_ == WeightType::I8) {
    std::vector<int8_t> quantized(static_cast<size_t>(columns_));
    for (int64_t i = 0; i < count; ++i) {
      const float scale = quantize_row(numbers.subspan(i * columns_, columns_), quantized);
      set_rows(first + i, quantized, std::span(&scale, 1));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const float* row = numbers.data() + i * columns_;
    for (int64_t c = 0; c < columns_; ++c) {
      std::byte* to = data_.data() + position(first + i, c);
      if (type_ == WeightType::F32) {
        std::memcpy(to, row + c, sizeof(float));
      } else {
        const uint16_t narrow = to_bf16(row[c]);
        std::memcpy(to, &narrow, sizeof narrow);
      }
    }
  }
}

void PackedMatrix::set_rows(int64_t first, std::span<const int8_t> numbers, std::span<const float> scales) {
  if (type_ != WeightType::I8) throw std::logic_error("int8 rows for a matrix of another type");
  for (size_t i = 0; i < scales.size(); ++i) {
    const int64_t row = first + static_cast<int64_t>(i);
    const int8_t* from = numbers.data() + i * static_cast<size_t>(columns_);
    for (int64_t c = 0; c < columns_; ++c) data_.data()[position(row, c)] = static_cast<std::byte>(from[c]);
    scales_.data()[row] = scales[i];
  }
}

void PackedMatrix::copy_row(int64_t row, float* out) const {
  for (int64_t c = 0; c < columns_; ++c) {
    const std::byte* from = data_.data() + position(row, c);
    switch (type_) {
      case WeightType::F32:
        std::memcpy(out + c, from, sizeof(float));
        break;
      case WeightType::BF16: {
        uint16_t narrow = 0;
        std::memcpy(&narrow, from, sizeof narrow);
        out[c] = from_bf16(narrow);
        break;
      }
      case WeightType::I8:
        out[c] = static_cast<float>(static_cast<int8_t>(*from)) * scales_.data()[row];
        break;
    }
  }
}

PackedMatrix PackedMatrix::selected(std::span<const int32_t> rows) const {
  PackedMatrix result(type_, static_cast<int64_t>(rows.size()), columns_);
  const auto bytes = static_cast<size_t>(number_bytes(type_));
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto to = static_cast<int64_t>(i);
    for (int64_t c = 0; c < columns_; ++c)
      std::memcpy(result.data_.data() + result.position(to, c), data_.data() + position(rows[i], c), bytes);
    if (type_ == WeightType::I8) result.scales_.data()[i] = scales_.data()[rows[i]];
  }
  return result;
}

}  // namespace memsizer::kernels
