#include "train/linear_cross_entropy.h"

#include <gtest/gtest.h>

#include "core/special_tokens.h"

namespace memsizer::train {
namespace {

using at::Tensor;

struct Case {
  Tensor features, weight, targets;
};

// Rows, widths and vocabularies that fill no block, with padding at both ends.
Case make_case(int64_t rows, int64_t dim, int64_t vocab, at::ScalarType type) {
  at::manual_seed(1);
  Case one{at::randn({rows, dim}, type).requires_grad_(true),
           at::randn({vocab, dim}, type).requires_grad_(true), at::randint(4, vocab, {rows}, at::kLong)};
  one.targets[0] = kPad;
  if (rows > 2) one.targets[rows - 1] = kPad;
  return one;
}

void expect_agreement(int64_t rows, int64_t dim, int64_t vocab, double epsilon, at::ScalarType type,
                      double tolerance) {
  const Case a = make_case(rows, dim, vocab, type);
  const Tensor features = a.features.detach().clone().requires_grad_(true);
  const Tensor weight = a.weight.detach().clone().requires_grad_(true);
  const Loss fused = linear_cross_entropy(a.features, a.weight, a.targets, epsilon);
  const Loss plain = label_smoothed_loss(at::linear(features, weight), a.targets, epsilon);
  const double scale = std::max(1.0, plain.value.item<double>());
  EXPECT_NEAR(fused.value.item<double>(), plain.value.item<double>(), tolerance * scale);
  EXPECT_NEAR(fused.nll.item<double>(), plain.nll.item<double>(), tolerance * scale);
  (fused.value * 0.25).backward();
  (plain.value * 0.25).backward();
  for (const auto& [ours, theirs] :
       {std::pair{a.features.grad(), features.grad()}, std::pair{a.weight.grad(), weight.grad()}}) {
    const double largest = std::max(1e-12, theirs.abs().max().item<double>());
    EXPECT_LE((ours - theirs).abs().max().item<double>(), tolerance * largest);
  }
}

TEST(LinearCrossEntropy, AgreesWithThePlainLoss) {
  for (const double epsilon : {0.0, 0.1, 0.5}) {
    expect_agreement(2, 3, 5, epsilon, at::kDouble, 1e-10);
    expect_agreement(67, 16, 131, epsilon, at::kDouble, 1e-10);
    expect_agreement(67, 16, 131, epsilon, at::kFloat, 2e-5);
  }
  // Several blocks of rows.
  expect_agreement(150, 8, 70001, 0.1, at::kFloat, 5e-5);
}

// A teacher that is narrower than the model.
Lesson make_lesson(int64_t rows, int64_t vocab, at::ScalarType type, double share, double temperature) {
  at::manual_seed(2);
  return {at::randn({rows, 3}, type), at::randn({vocab, 3}, type), share, temperature};
}

void expect_taught_agreement(int64_t rows, int64_t dim, int64_t vocab, at::ScalarType type, double share,
                             double temperature, double tolerance) {
  const Case a = make_case(rows, dim, vocab, type);
  const Lesson lesson = make_lesson(rows, vocab, type, share, temperature);
  const Tensor features = a.features.detach().clone().requires_grad_(true);
  const Tensor weight = a.weight.detach().clone().requires_grad_(true);
  const Loss fused = linear_cross_entropy(a.features, a.weight, a.targets, 0.1, &lesson);
  const Loss plain = distillation_loss(at::linear(features, weight), a.targets, 0.1, lesson);
  const auto near = [&](const Tensor& ours, const Tensor& theirs) {
    const double expected = theirs.item<double>();
    EXPECT_NEAR(ours.item<double>(), expected, tolerance * std::max(1.0, expected));
  };
  near(fused.value, plain.value);
  near(fused.nll, plain.nll);
  near(fused.smoothed, plain.smoothed);
  near(fused.teacher, plain.teacher);
  (fused.value * 0.25).backward();
  (plain.value * 0.25).backward();
  for (const auto& [ours, theirs] :
       {std::pair{a.features.grad(), features.grad()}, std::pair{a.weight.grad(), weight.grad()}}) {
    const double largest = std::max(1e-12, theirs.abs().max().item<double>());
    EXPECT_LE((ours - theirs).abs().max().item<double>(), tolerance * largest);
  }
}

TEST(LinearCrossEntropy, WithATeacherAgreesWithThePlainLoss) {
  for (const double share : {0.3, 1.0}) {
    for (const double temperature : {0.5, 1.0, 3.0}) {
      expect_taught_agreement(2, 3, 5, at::kDouble, share, temperature, 1e-10);
      expect_taught_agreement(67, 16, 131, at::kDouble, share, temperature, 1e-10);
      expect_taught_agreement(67, 16, 131, at::kFloat, share, temperature, 5e-5);
    }
  }
  expect_taught_agreement(150, 8, 70001, at::kFloat, 0.7, 1.0, 1e-4);
}

TEST(LinearCrossEntropy, WithATeacherIsTheNumberMadeByHand) {
  // Two tokens that matter, the others impossible for both: p = (1/4, 3/4), q = (1/2, 1/2).
  const Tensor logits = at::tensor({0.0, -1e4, -1e4, -1e4, std::log(3.0)}, at::kDouble);
  const Tensor said = at::tensor({0.0, -1e4, -1e4, -1e4, 0.0}, at::kDouble);
  const Tensor one = at::ones({1, 1}, at::kDouble);
  const Lesson lesson{one, said.unsqueeze(1), 0.25, 1.0};
  const Loss loss = linear_cross_entropy(one, logits.unsqueeze(1).requires_grad_(true),
                                         at::zeros({1}, at::kLong), 0.0, &lesson);
  EXPECT_NEAR(loss.nll.item<double>(), 1.386294, 1e-6);      // ln 4
  EXPECT_NEAR(loss.teacher.item<double>(), 0.836988, 1e-6);  // (ln 4 + ln 4/3) / 2
  EXPECT_NEAR(loss.value.item<double>(), 1.248968, 1e-6);    // 3/4 of the one + 1/4 of the other
}

TEST(LinearCrossEntropy, WithoutGradientGivesTheSameLoss) {
  const Case one = make_case(40, 8, 99, at::kFloat);
  const Loss trained = linear_cross_entropy(one.features, one.weight, one.targets, 0.1);
  const torch::NoGradGuard no_grad;
  const Loss scored = linear_cross_entropy(one.features, one.weight, one.targets, 0.1);
  EXPECT_EQ(trained.value.item<double>(), scored.value.item<double>());
  EXPECT_EQ(trained.nll.item<double>(), scored.nll.item<double>());
  EXPECT_FALSE(trained.teacher.defined());
}

TEST(LinearCrossEntropy, PaddingAloneIsNoLoss) {
  const Case one = make_case(3, 4, 9, at::kFloat);
  const Loss loss = linear_cross_entropy(one.features, one.weight, at::full({3}, kPad, at::kLong), 0.1);
  EXPECT_EQ(loss.value.item<double>(), 0.0);
  loss.value.backward();
  EXPECT_EQ(one.features.grad().abs().max().item<float>(), 0.0F);
}

TEST(LinearCrossEntropy, LargeLogitsStayFinite) {
  const Tensor features = at::full({4, 2}, 1e4, at::kFloat).requires_grad_(true);
  const Tensor weight = at::randn({50, 2}).requires_grad_(true);
  const Loss loss = linear_cross_entropy(features, weight, at::full({4}, 7, at::kLong), 0.1);
  loss.value.backward();
  EXPECT_TRUE(std::isfinite(loss.value.item<double>()));
  EXPECT_TRUE(features.grad().isfinite().all().item<bool>());
}

TEST(LinearCrossEntropy, ThreadsChangeItByRoundingOnly) {
  const Case one = make_case(64, 8, 999, at::kFloat);
  const torch::NoGradGuard no_grad;
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const double single = linear_cross_entropy(one.features, one.weight, one.targets, 0.1).value.item<double>();
  at::set_num_threads(2);
  const double two = linear_cross_entropy(one.features, one.weight, one.targets, 0.1).value.item<double>();
  at::set_num_threads(threads);
  // OpenBLAS cuts a product of float32 differently for each number of threads.
  EXPECT_NEAR(single, two, 1e-7 * single);
}

}  // namespace
}  // namespace memsizer::train
