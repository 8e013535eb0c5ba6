#include <gtest/gtest.h>

#include <vector>

#include "mechanisms/memsizer/factors.h"
#include "support/gradients.h"

namespace memsizer::nn {
namespace {

using at::Tensor;
using testing::gradcheck_error;
using testing::largest_difference;

struct Shape {
  int64_t time;
  int64_t batch;
  int64_t heads;
  int64_t slots;
  int64_t dim;
  int64_t groups = 1;
  int64_t mean_groups = 0;
};

MemsizerFactorsInput make_input(const Shape& shape, bool with_mask, at::ScalarType type) {
  const auto generator = at::detail::createCPUGenerator(3);
  const auto random = [&](at::IntArrayRef sizes) {
    return at::randn(sizes, generator, at::TensorOptions(at::kDouble)).to(type);
  };
  MemsizerFactorsInput input;
  input.groups = shape.groups;
  input.mean_groups = shape.mean_groups;
  const int64_t width = (shape.heads + shape.groups) * shape.slots + shape.dim;
  input.projected = (random({shape.time, shape.batch, width}) * 3.0).requires_grad_();
  input.scale = random({shape.time, shape.batch}).abs();
  if (with_mask)
    input.mask = random({shape.time, shape.batch, shape.heads * shape.slots}).gt(0.0).to(type) * 2.0;
  input.left_weight = random({shape.slots}).requires_grad_();
  input.left_bias = random({shape.slots}).requires_grad_();
  input.right_weight = random({shape.dim}).requires_grad_();
  input.right_bias = random({shape.dim}).requires_grad_();
  return input;
}

std::vector<Tensor> leaves(const MemsizerFactorsInput& input) {
  return {input.projected, input.left_weight, input.left_bias, input.right_weight, input.right_bias};
}

Tensor weighted_sum(const MemsizerFactors& factors) {
  const auto generator = at::detail::createCPUGenerator(4);
  Tensor sum = at::zeros({}, factors.left.options().requires_grad(false));
  for (const Tensor& factor : {factors.address, factors.left, factors.right}) {
    sum =
        sum + (factor *
               at::randn(factor.sizes(), generator, at::TensorOptions(at::kDouble)).to(factor.scalar_type()))
                  .sum();
  }
  return sum;
}

class FactorsTwins : public ::testing::TestWithParam<std::tuple<int64_t, int64_t, bool, int64_t>> {};

TEST_P(FactorsTwins, Agree) {
  const auto [slots, dim, with_mask, mean_groups] = GetParam();
  const int64_t groups = mean_groups < 0 ? 1 : 3;
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, std::pair{at::kFloat, 1e-5}}) {
    const MemsizerFactorsInput input =
        make_input({37, 3, 6, slots, dim, groups, std::max<int64_t>(0, mean_groups)}, with_mask, type);
    const MemsizerFactors fast = memsizer_factors(input);
    const MemsizerFactors plain = memsizer_factors_plain(input);
    EXPECT_LE(
        largest_difference({fast.address, fast.left, fast.right}, {plain.address, plain.left, plain.right}),
        tolerance);
    EXPECT_LE(largest_difference(torch::autograd::grad({weighted_sum(fast)}, leaves(input)),
                                 torch::autograd::grad({weighted_sum(plain)}, leaves(input))),
              tolerance);
  }
}

// Not 1 or 2 wide: there a layer norm's gradient is all cancellation, and no two orders of summing agree.
INSTANTIATE_TEST_SUITE_P(OddSizes, FactorsTwins,
                         ::testing::Combine(::testing::Values(3, 4, 17, 32), ::testing::Values(5, 64, 67),
                                            ::testing::Bool(), ::testing::Values(-1, 0, 1, 3)));

TEST(Factors, GradientIsTheDerivative) {
  for (const Shape shape : {Shape{3, 2, 2, 3, 5}, Shape{3, 2, 4, 3, 6, 2, 1}}) {
    const MemsizerFactorsInput input = make_input(shape, true, at::kDouble);
    const auto function = [&](const std::vector<Tensor>& x) {
      MemsizerFactorsInput moved = input;
      moved.projected = x[0];
      moved.left_weight = x[1];
      moved.left_bias = x[2];
      moved.right_weight = x[3];
      moved.right_bias = x[4];
      return weighted_sum(memsizer_factors(moved));
    };
    EXPECT_LE(gradcheck_error(function, leaves(input)), 1e-7);
  }
}

TEST(Factors, ExtremeLogitsStayFinite) {
  MemsizerFactorsInput input = make_input({4, 1, 2, 4, 6}, false, at::kFloat);
  input.projected = input.projected.detach() * 1e6;
  const MemsizerFactors fast = memsizer_factors(input);
  EXPECT_LE(largest_difference({fast.address}, {memsizer_factors_plain(input).address}), 1e-5);
}

}  // namespace
}  // namespace memsizer::nn
