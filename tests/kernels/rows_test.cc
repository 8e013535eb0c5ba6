#include "kernels/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/scalar.h"
#include "kernels/support.h"

namespace memsizer::kernels {
namespace {

using testing::expect_near;
using testing::on_every_target;
using testing::random_numbers;
using testing::same_bits;

constexpr int64_t kWidths[] = {1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 100, 128, 257, 1024};
// Vectors need not begin where a vector would like it.
constexpr int64_t kShift = 1;
constexpr float kUntouched = 12345.0F;

TEST(Rows, LayerNormIsItsScalarTwin) {
  std::mt19937 random(1);
  for (const int64_t width : kWidths) {
    SCOPED_TRACE(width);
    std::vector<float> x = random_numbers(random, width + kShift, 3.0F);
    const std::vector<float> y = random_numbers(random, width);
    const std::vector<float> weight = random_numbers(random, width);
    const std::vector<float> bias = random_numbers(random, width);
    for (float& number : x) number += 5.0F;
    for (const bool plain : {false, true}) {
      const float* w = plain ? nullptr : weight.data();
      const float* b = plain ? nullptr : bias.data();
      std::vector<float> expected(static_cast<size_t>(width));
      std::vector<float> expected_of_sum(static_cast<size_t>(width));
      scalar::layer_norm(x.data() + kShift, w, b, width, expected.data());
      scalar::add_layer_norm(x.data() + kShift, y.data(), w, b, width, expected_of_sum.data());
      on_every_target([&] {
        std::vector<float> out(static_cast<size_t>(width));
        layer_norm(x.data() + kShift, w, b, width, out.data());
        expect_near(out, expected, 1e-5);
        std::vector<float> in_place(x.begin() + kShift, x.end());
        layer_norm(in_place.data(), w, b, width, in_place.data());
        EXPECT_TRUE(same_bits(in_place, out));
        add_layer_norm(x.data() + kShift, y.data(), w, b, width, out.data());
        expect_near(out, expected_of_sum, 1e-5);
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Rows, SumsAndScalesAreExact) {
  std::mt19937 random(2);
  for (const int64_t width : kWidths) {
    const std::vector<float> x = random_numbers(random, width + kShift);
    const std::vector<float> y = random_numbers(random, width);
    on_every_target([&] {
      std::vector<float> out(static_cast<size_t>(width + 1), kUntouched);
      std::vector<float> expected = out;
      add(x.data() + kShift, y.data(), width, out.data());
      scalar::add(x.data() + kShift, y.data(), width, expected.data());
      ASSERT_TRUE(same_bits(out, expected)) << width;
      scale(out.data(), width, 0.3F);
      scalar::scale(expected.data(), width, 0.3F);
      ASSERT_TRUE(same_bits(out, expected)) << width;
      relu(out.data(), width, out.data());
      scalar::relu(expected.data(), width, expected.data());
      for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], expected[i]) << width;
    });
  }
}

TEST(Rows, DotIsItsScalarTwin) {
  std::mt19937 random(3);
  for (const int64_t width : kWidths) {
    const std::vector<float> x = random_numbers(random, width + kShift);
    const std::vector<float> y = random_numbers(random, width);
    double magnitude = 0.0;
    for (int64_t i = 0; i < width; ++i) {
      magnitude += std::fabs(x[static_cast<size_t>(i + kShift)] * y[static_cast<size_t>(i)]);
    }
    const float expected = scalar::dot(x.data() + kShift, y.data(), width);
    on_every_target(
        [&] { ASSERT_NEAR(dot(x.data() + kShift, y.data(), width), expected, 1e-6 * magnitude) << width; });
  }
}

TEST(Rows, ArgmaxIsTheFirstOfTheLargest) {
  std::mt19937 random(7);
  for (const int64_t width : {1, 2, 7, 8, 9, 16, 31, 100, 1000}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      // Few different numbers, so that the largest is there several times.
      std::vector<float> x(static_cast<size_t>(width));
      std::uniform_int_distribution<int> number(-3, width > 50 ? 40 : 3);
      for (float& value : x) value = static_cast<float>(number(random));
      const auto expected = std::ranges::max_element(x) - x.begin();
      on_every_target([&] { ASSERT_EQ(argmax(x.data(), width), expected) << width; });
    }
  }
}

TEST(Rows, SoftmaxIsItsScalarTwin) {
  std::mt19937 random(4);
  for (const int64_t width : kWidths) {
    const std::vector<float> x = random_numbers(random, width, 20.0F);
    std::vector<float> expected = x;
    scalar::softmax(expected.data(), width);
    on_every_target([&] {
      std::vector<float> out = x;
      out.push_back(kUntouched);
      softmax(out.data(), width);
      ASSERT_EQ(out.back(), kUntouched);
      out.pop_back();
      expect_near(out, expected, 1e-6);
    });
  }
}

TEST(Rows, LogSoftmaxIsItsScalarTwin) {
  std::mt19937 random(14);
  std::vector<int64_t> widths(std::begin(kWidths), std::end(kWidths));
  widths.push_back(21283);  // a vocabulary's
  for (const int64_t width : widths) {
    const std::vector<float> x = random_numbers(random, width, 20.0F);
    std::vector<float> expected = x;
    scalar::log_softmax(expected.data(), width, -2.5F);
    on_every_target([&] {
      std::vector<float> out = x;
      out.push_back(kUntouched);
      log_softmax(out.data(), width, -2.5F);
      ASSERT_EQ(out.back(), kUntouched);
      out.pop_back();
      // Numbers of 50 have a last place of 4e-6.
      expect_near(out, expected, 1e-5);
    });
  }
}

TEST(Rows, ColumnSoftmaxIsItsScalarTwin) {
  std::mt19937 random(6);
  for (const int64_t width : {1, 4, 7, 16, 33}) {
    for (const int64_t rows : {1, 2, 9}) {
      const int64_t stride = width + 3;
      const std::vector<float> x = random_numbers(random, rows * stride, 20.0F);
      std::vector<float> expected = x;
      scalar::column_softmax(expected.data(), rows, stride, width);
      on_every_target([&] {
        std::vector<float> out = x;
        column_softmax(out.data(), rows, stride, width);
        // What is between the rows is not touched.
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = width; j < stride; ++j)
            ASSERT_EQ(out[static_cast<size_t>(i * stride + j)], x[static_cast<size_t>(i * stride + j)]);
        }
        expect_near(out, expected, 1e-6);
      });
    }
  }
}

TEST(Rows, LogSoftmaxKeepsMaskedNumbersMasked) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  on_every_target([&] {
    std::vector<float> x(19, -kInfinity);
    x[7] = -1000.0F;
    log_softmax(x.data(), 19, 1.0F);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], i == 7 ? 1.0F : -kInfinity);
  });
}

TEST(Rows, SoftmaxKeepsMaskedNumbersAtZero) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const int64_t width : kWidths) {
    if (width < 2) continue;
    on_every_target([&] {
      std::vector<float> x(static_cast<size_t>(width), -kInfinity);
      x[static_cast<size_t>(width) / 2] = -1000.0F;
      softmax(x.data(), width);
      for (int64_t i = 0; i < width; ++i) ASSERT_EQ(x[static_cast<size_t>(i)], i == width / 2 ? 1.0F : 0.0F);
    });
  }
}

TEST(Rows, MeanSoftmaxIsItsScalarTwin) {
  std::mt19937 random(5);
  for (const int64_t slots : {1, 2, 4, 7, 15, 16, 17, 32, 100, 128}) {
    for (const int64_t heads : {1, 3, 8}) {
      const std::vector<float> logits = random_numbers(random, heads * slots, 10.0F);
      std::vector<float> scratch = logits;
      std::vector<float> expected(static_cast<size_t>(slots));
      scalar::mean_softmax(scratch.data(), heads, slots, 0.7F, expected.data());
      on_every_target([&] {
        scratch = logits;
        std::vector<float> out(static_cast<size_t>(slots));
        mean_softmax(scratch.data(), heads, slots, 0.7F, out.data());
        expect_near(out, expected, 1e-6);
      });
    }
  }
}

TEST(Rows, ExponentialsAreWithinAMillionth) {
  std::vector<float> x;
  for (float value = -87.0F; value < 88.7F; value += 0.0113F) x.push_back(value);
  const auto width = static_cast<int64_t>(x.size());
  on_every_target([&] {
    std::vector<float> out(x.size());
    exponential(x.data(), width, out.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = std::exp(static_cast<double>(x[i]));
      ASSERT_NEAR(out[i], expected, 1e-6 * expected) << "of " << x[i];
    }
    elu_plus_one(x.data(), width, out.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = x[i] > 0.0F ? x[i] + 1.0F : std::exp(static_cast<double>(x[i]));
      ASSERT_NEAR(out[i], expected, 1e-6 * expected) << "of " << x[i];
    }
    sigmoid(x.data(), width, out.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = 1.0 / (1.0 + std::exp(-static_cast<double>(x[i])));
      ASSERT_NEAR(out[i], expected, 1e-6 * expected) << "of " << x[i];
    }
  });
}

TEST(Rows, ExponentialsHaveLimits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {89.0F, 1000.0F, kInfinity, -110.0F, -1000.0F, -kInfinity, std::nanf("")};
  on_every_target([&] {
    std::vector<float> out(x.size());
    exponential(x.data(), static_cast<int64_t>(x.size()), out.data());
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i], kInfinity) << x[i];
    for (size_t i = 3; i < 6; ++i) EXPECT_EQ(out[i], 0.0F) << x[i];
    EXPECT_TRUE(std::isnan(out[6]));
    sigmoid(x.data(), static_cast<int64_t>(x.size()), out.data());
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i], 1.0F) << x[i];
    for (size_t i = 3; i < 6; ++i) EXPECT_NEAR(out[i], 0.0F, 1e-37) << x[i];
    EXPECT_TRUE(std::isnan(out[6]));
  });
}

TEST(Rows, SinesAndCosinesAreWithinAMillionth) {
  std::vector<float> angles;
  for (float angle = -700.0F; angle < 700.0F; angle += 0.0531F) angles.push_back(angle);
  const size_t width = angles.size();
  on_every_target([&] {
    std::vector<float> out(2 * width);
    sin_cos(angles.data(), static_cast<int64_t>(width), 0.5F, out.data());
    for (size_t i = 0; i < width; ++i) {
      ASSERT_NEAR(out[i], 0.5 * std::sin(static_cast<double>(angles[i])), 1e-6) << "of " << angles[i];
      ASSERT_NEAR(out[width + i], 0.5 * std::cos(static_cast<double>(angles[i])), 1e-6) << "of " << angles[i];
    }
  });
}

TEST(Rows, ElementwiseFunctionsHaveTails) {
  std::mt19937 random(8);
  for (const int64_t width : kWidths) {
    const std::vector<float> x = random_numbers(random, width + kShift, 5.0F);
    on_every_target([&] {
      std::vector<float> out(static_cast<size_t>(2 * width + 1), kUntouched);
      std::vector<float> expected = out;
      sin_cos(x.data() + kShift, width, 2.0F, out.data());
      scalar::sin_cos(x.data() + kShift, width, 2.0F, expected.data());
      expect_near(out, expected, 1e-6);
      const auto both = [&](auto fast, auto plain) {
        std::ranges::fill(out, kUntouched);
        std::ranges::fill(expected, kUntouched);
        fast(x.data() + kShift, width, out.data());
        plain(x.data() + kShift, width, expected.data());
        for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 1e-6 * expected[i]) << i;
      };
      both(exponential, scalar::exponential);
      both(elu_plus_one, scalar::elu_plus_one);
      both(sigmoid, scalar::sigmoid);
      both(relu, scalar::relu);
      const std::vector<float> gate = random_numbers(random, width, 5.0F);
      std::ranges::fill(out, kUntouched);
      std::ranges::fill(expected, kUntouched);
      silu_gate(x.data() + kShift, gate.data(), width, out.data());
      scalar::silu_gate(x.data() + kShift, gate.data(), width, expected.data());
      expect_near(out, expected, 1e-5);
    });
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace memsizer::kernels
