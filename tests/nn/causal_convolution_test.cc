#include "nn/causal_convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "nn/ring.h"
#include "support/gradients.h"

namespace memsizer::nn {
namespace {

using at::Tensor;
using testing::gradcheck_error;
using testing::largest_difference;

Tensor random(at::IntArrayRef sizes, int64_t seed, at::ScalarType type = at::kDouble) {
  const auto generator = at::detail::createCPUGenerator(seed);
  return at::randn(sizes, generator, at::TensorOptions(at::kDouble)).to(type).requires_grad_();
}

TEST(CausalConvolution, IsLibTorchsOverThePastAddedToTheInput) {
  for (const int64_t taps : {1, 2, 4}) {
    for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-12}, std::pair{at::kFloat, 1e-5}}) {
      const Tensor x = random({11, 3, 19}, 1, type);
      const Tensor weight = random({19, taps}, 2, type);
      const Tensor history = random({taps - 1, 3, 19}, 3, type);
      const Tensor out = causal_convolution(x, weight, history);
      const Tensor padded = at::cat({history, x}).permute({1, 2, 0});  // [batch, dim, time]
      const Tensor expected = x + at::conv1d(padded, weight.unsqueeze(1), Tensor(), at::IntArrayRef{1},
                                             at::IntArrayRef{0}, at::IntArrayRef{1}, /*groups=*/19)
                                      .permute({2, 0, 1});
      EXPECT_LE(largest_difference({out}, {expected}), tolerance) << taps;
      const Tensor cotangent = random(out.sizes(), 4, type).detach();
      const auto gradients = [&](const Tensor& result) {
        return torch::autograd::grad({(result * cotangent).sum()}, {x, weight, history}, {}, true, false,
                                     true);
      };
      std::vector<Tensor> ours = gradients(out);
      std::vector<Tensor> theirs = gradients(expected);
      if (taps == 1) ours.pop_back(), theirs.pop_back();  // there is no history to send a gradient to
      EXPECT_LE(largest_difference(ours, theirs), tolerance) << taps;
    }
  }
}

TEST(CausalConvolution, WithoutHistoryStartsFromZeros) {
  const Tensor x = random({5, 2, 3}, 1);
  const Tensor weight = random({3, 4}, 2);
  const Tensor zeros = at::zeros({3, 2, 3}, at::kDouble);
  EXPECT_TRUE(causal_convolution(x, weight, {}).equal(causal_convolution(x, weight, zeros)));
}

TEST(CausalConvolution, GradientIsTheDerivative) {
  const auto function = [](const std::vector<Tensor>& x) {
    return causal_convolution(x[0], x[1], x[2]).square().sum();
  };
  EXPECT_LE(gradcheck_error(function, {random({4, 2, 3}, 1), random({3, 3}, 2), random({2, 2, 3}, 3)}), 1e-7);
}

TEST(Ring, KeepsTheNewestTokensWhateverWasReadBefore) {
  constexpr int64_t kSize = 3;
  const Tensor tokens = at::arange(1.0, 21.0).view({10, 2, 1});  // 10 tokens of two rows
  // The second row started two tokens later.
  const auto counts = [](int64_t read) { return at::tensor({read, read - 2}, at::kLong); };
  for (int64_t read = 5; read <= 10; ++read) {
    const Tensor ring = as_ring(tokens.slice(0, 0, read), kSize, counts(read));
    EXPECT_TRUE(in_order(ring, counts(read)).equal(tokens.slice(0, read - kSize, read))) << read;
    // The newest token of the first row, number read - 1, is in row (read - 1) modulo 3.
    EXPECT_EQ(ring[0][(read - 1) % kSize].item<double>(), tokens[read - 1][0].item<double>());
    EXPECT_EQ(ring[1][(read - 3) % kSize].item<double>(), tokens[read - 1][1].item<double>());
  }
}

}  // namespace
}  // namespace memsizer::nn
