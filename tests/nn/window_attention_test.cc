#include "nn/window_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/gradients.h"

namespace memsizer::nn {
namespace {

using at::Tensor;
using testing::largest_difference;

constexpr int64_t kDim = 12;
constexpr int64_t kHeads = 3;

struct Owner : torch::nn::Module {
  explicit Owner(int64_t window) : attention(*this, kDim, kHeads, window) {
    auto generator = at::detail::createCPUGenerator(1);
    attention.initialise(generator);
    to(at::kDouble);
  }
  WindowAttention attention;
};

Tensor parameter(const Owner& owner, const std::string& name) {
  return owner.named_parameters().find(name) ? *owner.named_parameters().find(name) : Tensor();
}

// The plain transcription: all pairs, then those outside of the window masked.
Tensor by_all_pairs(const Owner& owner, const Tensor& x, int64_t window) {
  const int64_t time = x.size(0);
  const int64_t batch = x.size(1);
  const auto project = [&](const std::string& name, const Tensor& input) {
    return at::linear(input, parameter(owner, name + ".weight"), parameter(owner, name + ".bias"));
  };
  const auto heads = [&](const Tensor& y) {
    return y.view({time, batch, kHeads, kDim / kHeads}).permute({1, 2, 0, 3});
  };
  const Tensor q = heads(project("window_q_proj", x)) / std::sqrt(static_cast<double>(kDim / kHeads));
  Tensor scores = at::matmul(q, heads(project("window_k_proj", x)).transpose(2, 3));
  const Tensor ones = at::ones({time, time}, at::kBool);
  scores = scores.masked_fill(ones.triu(1) | ones.tril(-window), -1e30);
  const Tensor mixed = at::matmul(scores.softmax(-1), heads(project("window_v_proj", x)));
  return project("window_out_proj", mixed.permute({2, 0, 1, 3}).reshape({time, batch, kDim}));
}

TEST(WindowAttention, IsSoftmaxOverTheNewestTokens) {
  for (const int64_t window : {1, 3, 64, 100}) {
    const Owner owner(window);
    const Tensor x = at::randn({150, 2, kDim}, at::kDouble);
    MixerState none;
    const Tensor out = owner.attention.forward(
        {.x = x, .skipped = {}, .before = {}, .after = at::full({2}, 150, at::kLong)}, none, false, Pass{});
    EXPECT_LE(largest_difference({out}, {by_all_pairs(owner, x, window)}), 1e-10) << window;
  }
}

TEST(WindowAttention, GoesOnFromItsRings) {
  constexpr int64_t kWindow = 4;
  const Owner owner(kWindow);
  const Tensor x = at::randn({20, 2, kDim}, at::kDouble);
  const Tensor expected = by_all_pairs(owner, x, kWindow);
  MixerState state;
  Tensor before;
  int64_t begin = 0;
  for (const int64_t end : {1, 2, 3, 9, 10, 20}) {
    const Tensor after = at::full({2}, end, at::kLong);
    const Tensor out = owner.attention.forward(
        {.x = x.slice(0, begin, end), .skipped = {}, .before = before, .after = after}, state, true, Pass{});
    EXPECT_LE(largest_difference({out}, {expected.slice(0, begin, end)}), 1e-10) << begin << " to " << end;
    EXPECT_EQ(state["window_keys"].size(1), kWindow);
    before = after;
    begin = end;
  }
}

}  // namespace
}  // namespace memsizer::nn
