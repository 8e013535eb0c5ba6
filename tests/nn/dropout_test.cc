#include "nn/dropout.h"

#include <gtest/gtest.h>

#include "nn/pass.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

TEST(Dropout, KeepsTheAskedShareAndTheMean) {
  for (const double p : {0.1, 0.3, 0.5, 0.9}) {
    Random random{7};
    const Pass pass{.training = true, .random = &random};
    const Tensor y = pass.dropout(at::ones({1000, 1003}), p);
    EXPECT_NEAR(y.eq(0).to(at::kDouble).mean().item<double>(), p, 0.002) << p;
    EXPECT_NEAR(y.to(at::kDouble).mean().item<double>(), 1.0, 0.02) << p;
  }
}

// Neighbours in a row, in a column and across draws drop independently.
TEST(Dropout, ElementsAreIndependent) {
  Random random{7};
  const Pass pass{.training = true, .random = &random};
  const Tensor a = pass.dropout_mask({512, 512}, 0.5, at::kDouble) - 1.0;
  const Tensor b = pass.dropout_mask({512, 512}, 0.5, at::kDouble) - 1.0;
  const auto correlation = [](const Tensor& x, const Tensor& y) { return (x * y).mean().item<double>(); };
  EXPECT_LE(std::abs(correlation(a, b)), 0.01);
  EXPECT_LE(std::abs(correlation(a.slice(1, 1), a.slice(1, 0, 511))), 0.01);
  EXPECT_LE(std::abs(correlation(a.slice(0, 1), a.slice(0, 0, 511))), 0.01);
  EXPECT_LE(std::abs(correlation(a.slice(0, 32), a.slice(0, 0, 480))), 0.01);
}

TEST(Dropout, GradientPassesWhereTheInputDid) {
  Random random{3};
  const Pass pass{.training = true, .random = &random};
  const Tensor x = at::ones({50, 41}, at::kDouble).requires_grad_(true);
  const Tensor base = at::zeros({50, 41}, at::kDouble).requires_grad_(true);
  const Tensor y = pass.add_dropped(base, x, 0.4);
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(y.detach()));
  EXPECT_TRUE(base.grad().equal(at::ones_like(base)));
}

TEST(Dropout, AddDroppedIsTheSum) {
  const DropoutKey key{11, 0.3};
  const Tensor x = at::randn({40, 1000});
  const Tensor base = at::randn({40, 1000});
  EXPECT_TRUE(dropped(x, base, key).allclose(base + dropped(x, {}, key), 1e-6, 1e-6));
  const Tensor mask = at::empty({40, 1000});
  fill_dropout_mask(mask, key);
  EXPECT_TRUE(dropped(x, {}, key).equal(x * mask));
}

TEST(Dropout, DoesNotDependOnThreadsOrLayout) {
  const DropoutKey key{5, 0.5};
  const Tensor x = at::randn({300, 400});
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Tensor one = dropped(x, {}, key);
  at::set_num_threads(2);
  const Tensor two = dropped(x, {}, key);
  at::set_num_threads(threads);
  EXPECT_TRUE(one.equal(two));
  EXPECT_TRUE(dropped(x.t().contiguous().t(), {}, key).equal(one));
}

TEST(Dropout, WithoutTrainingNothingHappens) {
  const Tensor x = at::randn({5});
  EXPECT_TRUE(Pass{}.dropout(x, 0.5).is_same(x));
  EXPECT_TRUE(Pass{}.add_dropped(x, x, 0.5).equal(x + x));
  EXPECT_FALSE(Pass{}.dropout_mask({3}, 0.5, at::kFloat).defined());
}

}  // namespace
}  // namespace memsizer::nn
