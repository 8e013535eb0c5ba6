#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
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

constexpr float kUntouched = 12345.0F;

struct Shape {
  int64_t count;
  int64_t heads;
  int64_t head_dim;
  int64_t visible;
  int64_t visible_more;
  bool listed;
};

// Queries over a cache, as AttentionTask wants them.
struct Case {
  Shape shape;
  int64_t width;
  int64_t stride;
  std::vector<float> queries;
  std::vector<float> keys;
  std::vector<float> values;
  std::vector<int32_t> tokens;

  Case(std::mt19937& random, const Shape& of) : shape(of), width(of.heads * of.head_dim), stride(width + 5) {
    const int64_t most = of.visible + (of.count - 1) * of.visible_more;
    queries = random_numbers(random, of.count * stride);
    keys = random_numbers(random, most * stride);
    values = random_numbers(random, most * stride);
    tokens.resize(static_cast<size_t>(most));
    std::iota(tokens.begin(), tokens.end(), 0);
    std::ranges::shuffle(tokens, random);
  }

  // Queries [first, first + n).
  AttentionTask task(std::vector<float>& out, int64_t first, int64_t n) const {
    out.assign(static_cast<size_t>(n * stride), kUntouched);
    return {.queries = {queries.data() + first * stride, stride},
            .count = n,
            .keys = keys.data(),
            .values = values.data(),
            .stride = stride,
            .tokens = shape.listed ? tokens.data() : nullptr,
            .visible = shape.visible + first * shape.visible_more,
            .visible_more = shape.visible_more,
            .head_dim = shape.head_dim,
            .out = {out.data(), stride}};
  }

  // The heads in ranges of `range`.
  std::vector<float> attended(int64_t first, int64_t n, int64_t range) const {
    std::vector<float> out;
    const AttentionTask all = task(out, first, n);
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(all)) + 1, kUntouched);
    for (int64_t head = 0; head < shape.heads; head += range) {
      attention(all, head, std::min(head + range, shape.heads), scratch.data());
    }
    EXPECT_EQ(scratch.back(), kUntouched) << "beyond the scratch";
    return out;
  }

  std::vector<float> expected() const {
    std::vector<float> out;
    const AttentionTask all = task(out, 0, shape.count);
    std::vector<float> scratch(static_cast<size_t>(all.most_visible()));
    scalar::attention(all, 0, shape.heads, scratch.data());
    return out;
  }
};

constexpr Shape kShapes[] = {
    {1, 1, 1, 1, 0, false},
    {1, 2, 7, 3, 0, true},
    {1, 8, 64, 100, 0, false},
    {1, 8, 64, 257, 0, true},
    {1, 11, 17, 31, 0, true},
    {2, 3, 15, 2, 0, false},
    {3, 4, 16, 17, 0, true},
    {7, 8, 64, 31, 0, false},
    {16, 2, 31, 1, 1, false},
    {17, 3, 33, 5, 1, true},
    {5, 16, 64, 64, 1, false},
    {4, 1, 100, 10, 2, true},
    // More than a group of queries and a block of tokens.
    {7, 2, 64, 200, 1, true},
    {35, 2, 64, 130, 0, false},
    {67, 2, 33, 60, 1, true},
};

TEST(Attention, IsItsScalarTwin) {
  std::mt19937 random(1);
  for (const Shape& shape : kShapes) {
    const Case test(random, shape);
    SCOPED_TRACE(shape.visible);
    const std::vector<float> expected = test.expected();
    on_every_target([&] { expect_near(test.attended(0, shape.count, shape.heads), expected, 2e-6); });
    if (HasFatalFailure()) return;
  }
}

TEST(Attention, AQueryIsTheSameInAnyCompanyAndRangeOfHeads) {
  std::mt19937 random(2);
  for (const Shape& shape : kShapes) {
    const Case test(random, shape);
    SCOPED_TRACE(shape.visible);
    on_every_target([&] {
      const std::vector<float> together = test.attended(0, shape.count, shape.heads);
      for (const int64_t range : {1, 2, 5}) {
        ASSERT_TRUE(same_bits(together, test.attended(0, shape.count, range))) << range << " heads";
      }
      for (int64_t n = 1; n < shape.count; ++n) {
        for (int64_t first = 0; first + n <= shape.count; first += 3) {
          const std::vector<float> part = test.attended(first, n, shape.heads);
          const auto begin = static_cast<size_t>(first * test.stride);
          ASSERT_TRUE(same_bits(part, std::span(together).subspan(begin, part.size())))
              << n << " from " << first;
        }
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Attention, LargeScoresDoNotOverflow) {
  std::mt19937 random(3);
  Case test(random, {3, 2, 20, 40, 0, false});
  for (float& number : test.queries) number *= 100.0F;
  const std::vector<float> expected = test.expected();
  // Scores of some hundreds have errors of some 1e-5, and so have the weights.
  on_every_target([&] { expect_near(test.attended(0, 3, 2), expected, 2e-4); });
}

}  // namespace
}  // namespace memsizer::kernels
