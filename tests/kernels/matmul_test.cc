#include "kernels/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/scalar.h"
#include "kernels/support.h"

namespace memsizer::kernels {
namespace {

using testing::on_every_target;
using testing::random_numbers;
using testing::same_bits;

constexpr WeightType kTypes[] = {WeightType::F32, WeightType::BF16, WeightType::I8};
constexpr Unary kUnaries[] = {Unary::None, Unary::Relu, Unary::Gelu, Unary::Sigmoid};
constexpr float kUntouched = 12345.0F;
// No unary function is steeper.
constexpr double kSteepest = 1.13;

PackedMatrix random_matrix(std::mt19937& random, WeightType type, int64_t rows, int64_t columns) {
  PackedMatrix matrix(type, rows, columns);
  matrix.set_rows(0, random_numbers(random, rows * columns));
  return matrix;
}

// A product with everything that may surround it.
struct Case {
  PackedMatrix weight;
  int64_t count = 0;
  int64_t x_stride = 0;
  int64_t out_stride = 0;
  std::vector<float> x;
  std::vector<float> bias;
  std::vector<float> add;
  Unary unary = Unary::None;
  bool has_bias = true;
  bool has_add = true;

  Case(std::mt19937& random, WeightType type, int64_t rows, int64_t columns, int64_t n)
      : weight(random_matrix(random, type, rows, columns)),
        count(n),
        x_stride(columns + 3),
        out_stride(rows + 5),
        x(random_numbers(random, n * x_stride, 2.0F)),
        bias(random_numbers(random, rows)),
        add(random_numbers(random, n * out_stride)) {}

  Epilogue epilogue(int64_t first = 0) const {
    return {.bias = has_bias ? bias.data() : nullptr,
            .unary = unary,
            .add = has_add ? ConstRows{add.data() + first * out_stride, out_stride} : ConstRows{}};
  }

  // Rows [first, first + n) together.
  std::vector<float> product(Team& team, int64_t first, int64_t n) const {
    std::vector<float> out(static_cast<size_t>(n * out_stride), kUntouched);
    matmul(team, weight, {x.data() + first * x_stride, x_stride}, n, {out.data(), out_stride},
           epilogue(first));
    return out;
  }
  std::vector<float> product(Team& team) const { return product(team, 0, count); }

  std::vector<float> expected() const {
    std::vector<float> out(static_cast<size_t>(count * out_stride), kUntouched);
    scalar::matmul(weight, {x.data(), x_stride}, count, {out.data(), out_stride}, epilogue());
    return out;
  }

  void check(const std::vector<float>& found) const {
    const std::vector<float> wanted = expected();
    std::vector<float> row(static_cast<size_t>(weight.columns()));
    for (int64_t r = 0; r < out_stride; ++r) {
      if (r < weight.rows()) weight.copy_row(r, row.data());
      for (int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i * out_stride + r);
        if (r >= weight.rows()) {
          ASSERT_EQ(found[at], kUntouched) << "beyond the rows, at " << i << ", " << r;
          continue;
        }
        double magnitude = std::fabs(bias[static_cast<size_t>(r)]) + std::fabs(add[at]);
        double weights = 0.0;
        double largest_pair = 0.0;
        double last = 0.0;
        for (int64_t c = 0; c < weight.columns(); ++c) {
          const double in = std::fabs(x[static_cast<size_t>(i * x_stride + c)]);
          const double w = std::fabs(row[static_cast<size_t>(c)]);
          magnitude += w * in;
          weights += w;
          largest_pair = std::max(largest_pair, c % 2 == 0 ? in : last + in);
          last = in;
        }
        double tolerance = 1e-5 * magnitude;
        // Half a step of the rounded numbers each.
        if (weight.type() == WeightType::I8) tolerance += weights * largest_pair / 127.0 * 0.5;
        ASSERT_NEAR(found[at], wanted[at], kSteepest * tolerance + 1e-6) << "at " << i << ", " << r;
      }
    }
  }
};

std::string described(const Case& test) {
  return "type " + std::to_string(static_cast<int>(test.weight.type())) + ", " + std::to_string(test.count) +
         " rows times " + std::to_string(test.weight.rows()) + " x " + std::to_string(test.weight.columns());
}

TEST(Matmul, IsItsScalarTwin) {
  std::mt19937 random(1);
  Team team(2);
  constexpr int64_t kSizes[][3] = {{1, 1, 1},     {1, 2, 7},    {2, 15, 16},   {3, 16, 15},  {4, 17, 2},
                                   {5, 31, 31},   {6, 64, 64},  {7, 100, 17},  {8, 33, 100}, {9, 257, 64},
                                   {13, 48, 257}, {17, 7, 100}, {1, 257, 100}, {31, 65, 65}, {100, 31, 33}};
  for (const WeightType type : kTypes) {
    for (const auto& [count, rows, columns] : kSizes) {
      Case test(random, type, rows, columns, count);
      SCOPED_TRACE(described(test));
      on_every_target([&] { test.check(test.product(team)); });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Matmul, EpiloguesAreTheirScalarTwins) {
  std::mt19937 random(2);
  Team team;
  for (const WeightType type : kTypes) {
    Case test(random, type, 37, 50, 7);
    for (const Unary unary : kUnaries) {
      for (const bool has_bias : {false, true}) {
        for (const bool has_add : {false, true}) {
          SCOPED_TRACE(static_cast<int>(unary));
          test.unary = unary;
          test.has_bias = has_bias;
          test.has_add = has_add;
          on_every_target([&] { test.check(test.product(team)); });
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// One column that is 1 makes the epilogue's function visible.
TEST(Matmul, UnaryFunctionsAreWithinAMillionth) {
  Team team;
  PackedMatrix one(WeightType::F32, 1, 1);
  one.set_rows(0, std::vector<float>{1.0F});
  const auto epilogue = [](Unary unary) { return Epilogue{.bias = nullptr, .unary = unary, .add = {}}; };
  on_every_target([&] {
    for (float x = -30.0F; x < 30.0F; x += 0.0037F) {
      float out = 0.0F;
      matmul(team, one, {&x, 1}, 1, {&out, 1}, epilogue(Unary::Gelu));
      const double in = x;
      ASSERT_NEAR(out, 0.5 * in * (1.0 + std::erf(in * std::sqrt(0.5))), 1e-6 * std::max(1.0, std::fabs(in)))
          << "of " << x;
      matmul(team, one, {&x, 1}, 1, {&out, 1}, epilogue(Unary::Sigmoid));
      const double expected = 1.0 / (1.0 + std::exp(-in));
      ASSERT_NEAR(out, expected, 1e-6 * expected) << "of " << x;
    }
  });
}

TEST(Matmul, AddsToItsOwnOutput) {
  std::mt19937 random(3);
  Team team(2);
  for (const WeightType type : kTypes) {
    Case test(random, type, 53, 40, 9);
    const std::vector<float> apart = test.product(team);
    std::vector<float> out = test.add;
    Epilogue epilogue = test.epilogue();
    epilogue.add = {out.data(), test.out_stride};
    matmul(team, test.weight, {test.x.data(), test.x_stride}, test.count, {out.data(), test.out_stride},
           epilogue);
    for (int64_t i = 0; i < test.count; ++i) {
      const auto at = static_cast<size_t>(i * test.out_stride);
      const auto rows = static_cast<size_t>(test.weight.rows());
      ASSERT_TRUE(same_bits(std::span(out).subspan(at, rows), std::span(apart).subspan(at, rows)));
    }
  }
}

TEST(Matmul, ARowIsTheSameInAnyCompanyAndTeam) {
  std::mt19937 random(4);
  Team alone(1);
  Team two(2);
  Team three(3);
  for (const WeightType type : kTypes) {
    // The last spills over the block of rows that is held near.
    for (const auto& [count, rows, columns] :
         {std::array<int64_t, 3>{30, 150, 101}, {65, 67, 64}, {100, 20, 4099}}) {
      Case test(random, type, rows, columns, count);
      test.unary = Unary::Gelu;
      SCOPED_TRACE(described(test));
      on_every_target([&] {
        const std::vector<float> together = test.product(alone);
        ASSERT_TRUE(same_bits(together, test.product(two)));
        ASSERT_TRUE(same_bits(together, test.product(three)));
        for (int64_t first = 0, n = 1; first + n <= test.count; first += n, n = n % 14 + 1) {
          const std::vector<float> part = test.product(n % 2 == 0 ? two : alone, first, n);
          const auto begin = static_cast<size_t>(first * test.out_stride);
          ASSERT_TRUE(same_bits(part, std::span(together).subspan(begin, part.size())))
              << n << " from " << first;
        }
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Matmul, Int8SumsAreExact) {
  std::mt19937 random(5);
  Team team(2);
  for (const auto& [columns, largest] :
       {std::pair<int64_t, int>{1, 127}, {7, 127}, {4096, 127}, {270000, 124}}) {
    constexpr int64_t kRows = 19;
    for (const bool extreme : {true, false}) {
      PackedMatrix weight(WeightType::I8, kRows, columns);
      std::vector<int8_t> numbers(static_cast<size_t>(kRows * columns));
      std::uniform_int_distribution<int> any_weight(-127, 127);
      for (size_t i = 0; i < numbers.size(); ++i) {
        const int sign = i / static_cast<size_t>(columns) % 2 == 0 ? 127 : -127;
        numbers[i] = static_cast<int8_t>(extreme ? sign : any_weight(random));
      }
      weight.set_rows(0, numbers, std::vector<float>(kRows, 1.0F));
      constexpr int64_t kCount = 11;
      std::vector<float> x(static_cast<size_t>(kCount * columns));
      std::uniform_int_distribution<int> any_number(-largest / 2, largest / 2);
      for (size_t i = 0; i < x.size(); ++i) {
        const float sign = i / static_cast<size_t>(columns) % 3 != 0 ? 1.0F : -1.0F;
        // Half of 127 is rounded up to 64: two of them, times 255, are the most that 16 bits must hold.
        x[i] = extreme ? sign * static_cast<float>(largest) / 2.0F : static_cast<float>(any_number(random));
      }
      // So that the scale is 1.
      for (int64_t i = 0; i < kCount; ++i) {
        x[static_cast<size_t>(i * columns)] = static_cast<float>(largest);
        if (columns > 1) x[static_cast<size_t>(i * columns + 1)] = 0.0F;
      }
      on_every_target([&] {
        std::vector<float> out(kRows * kCount);
        matmul(team, weight, {x.data(), columns}, kCount, {out.data(), kRows});
        for (int64_t i = 0; i < kCount; ++i) {
          for (int64_t r = 0; r < kRows; ++r) {
            int64_t sum = 0;
            for (int64_t c = 0; c < columns; ++c) {
              sum += numbers[static_cast<size_t>(r * columns + c)] *
                     std::lrint(x[static_cast<size_t>(i * columns + c)]);
            }
            ASSERT_EQ(out[static_cast<size_t>(i * kRows + r)], static_cast<float>(sum)) << i << ", " << r;
          }
        }
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Matmul, WhatIsNotFiniteStaysSo) {
  std::mt19937 random(6);
  Team team;
  for (const WeightType type : kTypes) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Case test(random, type, 20, 19, 3);
      test.x[static_cast<size_t>(test.x_stride + 18)] = bad;
      on_every_target([&] {
        const std::vector<float> out = test.product(team);
        for (int64_t r = 0; r < 20; ++r) {
          ASSERT_FALSE(std::isfinite(out[static_cast<size_t>(test.out_stride + r)]));
          ASSERT_TRUE(std::isfinite(out[static_cast<size_t>(r)]));
        }
      });
    }
  }
}

TEST(Matmul, RowsOfZerosGiveTheBias) {
  std::mt19937 random(7);
  Team team;
  for (const WeightType type : kTypes) {
    Case test(random, type, 18, 33, 2);
    std::ranges::fill(test.x, 0.0F);
    test.has_add = false;
    on_every_target([&] {
      const std::vector<float> out = test.product(team);
      for (size_t r = 0; r < 18; ++r) ASSERT_EQ(out[r], test.bias[r]);
    });
  }
}

}  // namespace
}  // namespace memsizer::kernels
