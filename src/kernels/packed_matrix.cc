#include "kernels/packed_matrix.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/weight_rounding.h"
#include "kernels/pack_rows.h"

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

constexpr int64_t kPanelRows = PackedMatrix::kPanelRows;
constexpr int64_t kUnitBytes = sizeof(uint32_t);
// Turns between signed numbers and those 128 larger, four at once.
constexpr uint32_t kExcess = 0x80808080U;

// Calls work(begin, end) for the rows of each panel that [first, first + count) has a part in, counted from
// `first`.
template <typename Work>
void for_each_panel(int64_t first, int64_t count, const Work& work) {
  for (int64_t begin = 0; begin < count;) {
    const int64_t end = std::min(count, begin + kPanelRows - (first + begin) % kPanelRows);
    work(begin, end);
    begin = end;
  }
}

}  // namespace

PackedMatrix::PackedMatrix(WeightType type, int64_t rows, int64_t columns, std::shared_ptr<Arena> arena)
    : type_(type),
      rows_(rows),
      columns_(columns),
      arena_(arena ? std::move(arena) : std::make_shared<Arena>(0)) {
  const int64_t row_bytes = columns * number_bytes(type);
  panel_bytes_ = kPanelRows * ((row_bytes + kUnitBytes - 1) / kUnitBytes * kUnitBytes);
  data_ = arena_->take(static_cast<size_t>(panels() * panel_bytes_));
  // The last panel may have rows that are never set.
  if (panels() > 0) std::memset(data_ + (panels() - 1) * panel_bytes_, 0, static_cast<size_t>(panel_bytes_));
  if (type == WeightType::I8) scales_ = AlignedBuffer<float>(static_cast<size_t>(panels() * kPanelRows));
}

size_t PackedMatrix::position(int64_t row, int64_t column) const {
  const int64_t byte = column * number_bytes(type_);
  return static_cast<size_t>(row / kPanelRows * panel_bytes_ +
                             (byte / kUnitBytes * kPanelRows + row % kPanelRows) * kUnitBytes +
                             byte % kUnitBytes);
}

uint32_t* PackedMatrix::first_unit(int64_t row) {
  return reinterpret_cast<uint32_t*>(data_ + position(row, 0));
}

const uint32_t* PackedMatrix::first_unit(int64_t row) const {
  return reinterpret_cast<const uint32_t*>(data_ + position(row, 0));
}

void PackedMatrix::set_rows(int64_t first, std::span<const float> numbers) {
  const int64_t count = columns_ == 0 ? 0 : static_cast<int64_t>(numbers.size()) / columns_;
  const int64_t row_bytes = columns_ * number_bytes(type_);
  std::vector<std::byte> narrow(type_ == WeightType::F32 ? 0 : static_cast<size_t>(kPanelRows * row_bytes));
  for_each_panel(first, count, [&](int64_t begin, int64_t end) {
    const std::byte* rows = narrow.data();
    if (type_ == WeightType::F32)
      rows = reinterpret_cast<const std::byte*>(numbers.data() + begin * columns_);
    for (int64_t i = begin; i < end && type_ != WeightType::F32; ++i) {
      const auto row = numbers.subspan(static_cast<size_t>(i * columns_), static_cast<size_t>(columns_));
      std::byte* to = narrow.data() + (i - begin) * row_bytes;
      if (type_ == WeightType::I8) {
        scales_.data()[first + i] = round_to_int8(row, {reinterpret_cast<int8_t*>(to), row.size()});
      } else {
        std::ranges::transform(row, reinterpret_cast<uint16_t*>(to), round_to_bf16);
      }
    }
    pack_rows(rows, end - begin, row_bytes, type_ == WeightType::I8 ? kExcess : 0, first_unit(first + begin));
  });
}

void PackedMatrix::set_rows(int64_t first, std::span<const int8_t> numbers, std::span<const float> scales) {
  if (type_ != WeightType::I8) throw std::logic_error("int8 rows for a matrix of another type");
  const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
  for_each_panel(first, static_cast<int64_t>(scales.size()), [&](int64_t begin, int64_t end) {
    pack_rows(bytes + begin * columns_, end - begin, columns_, kExcess, first_unit(first + begin));
  });
  std::ranges::copy(scales, scales_.data() + first);
}

void PackedMatrix::copy_row(int64_t row, float* out) const {
  const uint32_t* from = first_unit(row);
  switch (type_) {
    case WeightType::F32:
      for (int64_t c = 0; c < columns_; ++c) out[c] = std::bit_cast<float>(from[c * kPanelRows]);
      break;
    case WeightType::BF16:
      for (int64_t c = 0; c < columns_; ++c) {
        const uint32_t unit = from[c / 2 * kPanelRows];
        out[c] = from_bf16(static_cast<uint16_t>(unit >> (c % 2 * 16)));
      }
      break;
    case WeightType::I8:
      for (int64_t c = 0; c < columns_; ++c) {
        const uint32_t unit = from[c / 4 * kPanelRows] ^ kExcess;
        out[c] = static_cast<float>(static_cast<int8_t>(unit >> (c % 4 * 8))) * scales_.data()[row];
      }
      break;
  }
}

PackedMatrix PackedMatrix::selected(Team& team, std::span<const int32_t> rows) const {
  PackedMatrix result(type_, static_cast<int64_t>(rows.size()), columns_);
  team.split(result.rows(), kPanelRows, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint32_t* from = first_unit(rows[static_cast<size_t>(i)]);
      uint32_t* to = result.first_unit(i);
      for (int64_t u = 0; u < units(); ++u) to[u * kPanelRows] = from[u * kPanelRows];
      if (type_ == WeightType::I8) result.scales_.data()[i] = scales_.data()[rows[static_cast<size_t>(i)]];
    }
  });
  return result;
}

}  // namespace memsizer::kernels
