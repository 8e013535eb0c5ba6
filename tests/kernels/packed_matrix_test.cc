#include "kernels/packed_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/weight_rounding.h"
#include "kernels/support.h"

namespace memsizer::kernels {
namespace {

using testing::random_numbers;
using testing::same_bits;

constexpr int64_t kSizes[][2] = {{1, 1},   {2, 7},   {15, 16},   {16, 15}, {17, 2},
                                 {31, 31}, {64, 64}, {100, 257}, {33, 3}};

std::vector<float> row_of(const PackedMatrix& matrix, int64_t row) {
  std::vector<float> numbers(static_cast<size_t>(matrix.columns()));
  matrix.copy_row(row, numbers.data());
  return numbers;
}

TEST(PackedMatrix, F32RowsComeBack) {
  std::mt19937 random(1);
  for (const auto& [rows, columns] : kSizes) {
    const std::vector<float> numbers = random_numbers(random, rows * columns);
    PackedMatrix matrix(WeightType::F32, rows, columns);
    matrix.set_rows(0, numbers);
    for (int64_t r = 0; r < rows; ++r) {
      const auto row =
          std::span(numbers).subspan(static_cast<size_t>(r * columns), static_cast<size_t>(columns));
      ASSERT_TRUE(same_bits(row_of(matrix, r), row));
    }
  }
}

TEST(PackedMatrix, Bf16RowsComeBackRounded) {
  std::mt19937 random(2);
  for (const auto& [rows, columns] : kSizes) {
    const std::vector<float> numbers = random_numbers(random, rows * columns);
    PackedMatrix matrix(WeightType::BF16, rows, columns);
    matrix.set_rows(0, numbers);
    for (int64_t r = 0; r < rows; ++r) {
      const std::vector<float> row = row_of(matrix, r);
      for (int64_t c = 0; c < columns; ++c) {
        ASSERT_EQ(row[static_cast<size_t>(c)],
                  from_bf16(round_to_bf16(numbers[static_cast<size_t>(r * columns + c)])));
      }
    }
  }
}

TEST(PackedMatrix, Int8RowsComeBack) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> any(-128, 127);
  for (const auto& [rows, columns] : kSizes) {
    std::vector<int8_t> numbers(static_cast<size_t>(rows * columns));
    for (int8_t& number : numbers) number = static_cast<int8_t>(any(random));
    const std::vector<float> scales = random_numbers(random, rows);
    PackedMatrix matrix(WeightType::I8, rows, columns);
    matrix.set_rows(0, numbers, scales);
    for (int64_t r = 0; r < rows; ++r) {
      const std::vector<float> row = row_of(matrix, r);
      for (int64_t c = 0; c < columns; ++c) {
        ASSERT_EQ(row[static_cast<size_t>(c)],
                  static_cast<float>(numbers[static_cast<size_t>(r * columns + c)]) *
                      scales[static_cast<size_t>(r)]);
      }
    }
  }
}

// Floats and rows of a quantised file make the same matrix.
TEST(PackedMatrix, RoundsAsFilesDo) {
  std::mt19937 random(4);
  for (const auto& [rows, columns] : kSizes) {
    const std::vector<float> weights = random_numbers(random, rows * columns, 3.0F);
    std::vector<int8_t> numbers(weights.size());
    std::vector<float> scales;
    for (int64_t r = 0; r < rows; ++r) {
      const auto first = static_cast<size_t>(r * columns);
      const auto width = static_cast<size_t>(columns);
      scales.push_back(
          round_to_int8(std::span(weights).subspan(first, width), std::span(numbers).subspan(first, width)));
    }
    PackedMatrix from_floats(WeightType::I8, rows, columns);
    from_floats.set_rows(0, weights);
    PackedMatrix from_file(WeightType::I8, rows, columns);
    from_file.set_rows(0, numbers, scales);
    for (int64_t r = 0; r < rows; ++r)
      ASSERT_TRUE(same_bits(row_of(from_floats, r), row_of(from_file, r))) << r;
  }
}

// Some rows at a time or all at once: the same matrix.
TEST(PackedMatrix, RowsMayComeInParts) {
  std::mt19937 random(5);
  for (const WeightType type : {WeightType::F32, WeightType::BF16, WeightType::I8}) {
    for (const auto& [rows, columns] : kSizes) {
      const std::vector<float> numbers = random_numbers(random, rows * columns);
      PackedMatrix whole(type, rows, columns);
      whole.set_rows(0, numbers);
      PackedMatrix parts(type, rows, columns);
      for (int64_t first = 0, n = 1; first < rows; first += n, n += 7) {
        const int64_t end = std::min(rows, first + n);
        parts.set_rows(first, std::span(numbers).subspan(static_cast<size_t>(first * columns),
                                                         static_cast<size_t>((end - first) * columns)));
      }
      for (int64_t r = 0; r < rows; ++r) ASSERT_TRUE(same_bits(row_of(whole, r), row_of(parts, r))) << r;
    }
  }
}

TEST(PackedMatrix, SelectedRowsAreTheRows) {
  std::mt19937 random(7);
  for (const WeightType type : {WeightType::F32, WeightType::BF16, WeightType::I8}) {
    PackedMatrix matrix(type, 100, 19);
    matrix.set_rows(0, random_numbers(random, 100 * 19));
    const std::vector<int32_t> rows = {99, 3, 3, 0, 17, 16, 15, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 1};
    Team team(2);
    const PackedMatrix selected = matrix.selected(team, rows);
    ASSERT_EQ(selected.rows(), static_cast<int64_t>(rows.size()));
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_TRUE(same_bits(row_of(selected, static_cast<int64_t>(i)), row_of(matrix, rows[i])));
    }
  }
}

TEST(PackedMatrix, Int8RowsAreForInt8Matrices) {
  PackedMatrix matrix(WeightType::F32, 1, 1);
  EXPECT_THROW(matrix.set_rows(0, std::vector<int8_t>{1}, std::vector<float>{1.0F}), std::logic_error);
}

}  // namespace
}  // namespace memsizer::kernels
