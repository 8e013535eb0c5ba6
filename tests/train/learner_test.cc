#include "train/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/memsizer/description.h"
#include "model/presets.h"
#include "nn/tensor_io.h"
#include "support/gradients.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "support/thread_group.h"

namespace memsizer::train {
namespace {

using at::Tensor;
using memsizer::testing::gradient_difference;
using memsizer::testing::has_text;
using memsizer::testing::largest_difference;
using memsizer::testing::message_of;
using memsizer::testing::TempDir;
using memsizer::testing::ThreadGroup;

constexpr double kRate = 1e-2;

Recipe small_recipe() {
  Recipe recipe;
  recipe.model = preset_config("tiny");
  recipe.model.dim = 16;
  recipe.model.vocab = 20;
  recipe.model.encoder.heads = recipe.model.decoder.heads = 2;
  recipe.model.encoder.ffn = recipe.model.decoder.ffn = 24;
  recipe.model.dropout = 0.0;
  recipe.model.options<MemsizerOptions>().slots = {.causal = 3, .cross = 4, .encoder = 4};
  recipe.optimizer.clip_norm = 1.0;
  return recipe;
}

Learner learner_of(const Recipe& recipe, Group& group) {
  at::set_num_threads(1);  // tensors this small only wait for a second thread
  ModelDescription description;
  description.config = recipe.model;
  return {recipe, std::move(description), at::kCPU, group};
}

TokenBatch random_batch(int64_t rows, uint64_t seed) {
  const auto generator = at::detail::createCPUGenerator(seed);
  const auto tokens = [&](int64_t length) {
    return at::randint(kUnk + 1, 20, {rows, length}, generator, at::TensorOptions(at::kLong));
  };
  TokenBatch batch{tokens(5), tokens(6), tokens(6), rows * 6};
  // Targets of different lengths, so that batches differ in what they count.
  batch.targets[0].slice(0, 4).fill_(kPad);
  batch.target_tokens -= 2;
  return batch;
}

TokenBatch joined(const TokenBatch& a, const TokenBatch& b) {
  return {at::cat({a.source, b.source}), at::cat({a.input, b.input}), at::cat({a.targets, b.targets}),
          a.target_tokens + b.target_tokens};
}

std::vector<Tensor> gradients_of(Learner& learner) {
  std::vector<Tensor> gradients;
  for (const auto& [name, parameter] : trained_parameters(learner.model().module()))
    gradients.push_back(parameter.grad().defined() ? parameter.grad().clone() : at::zeros_like(parameter));
  return gradients;
}

std::vector<Tensor> weights_of(Learner& learner) {
  std::vector<Tensor> weights;
  for (const auto& [name, tensor] : nn::named_tensors(learner.model().module()))
    weights.push_back(tensor.detach().clone());
  return weights;
}

bool equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](const Tensor& x, const Tensor& y) { return x.equal(y); });
}

TEST(Learner, TwoProcessesTakeTheStepOfOneWithTheWholeBatch) {
  const Recipe recipe = small_recipe();
  const TokenBatch a = random_batch(3, 1);
  const TokenBatch b = random_batch(5, 2);
  SingleProcess alone;
  Learner whole = learner_of(recipe, alone);
  const Update expected = whole.update(std::vector{joined(a, b)}, kRate);
  EXPECT_EQ(expected.tokens, 8 * 6 - 4);
  ThreadGroup(2).run([&](Group& group) {
    Learner learner = learner_of(recipe, group);
    const Update done = learner.update(std::vector{group.rank() == 0 ? a : b}, kRate);
    // The divisor: the targets of both.
    EXPECT_EQ(done.tokens, expected.tokens);
    EXPECT_NEAR(done.loss, expected.loss, 1e-6 * expected.loss);
    EXPECT_NEAR(done.nll, expected.nll, 1e-6 * expected.nll);
    EXPECT_NEAR(done.gradient_norm, expected.gradient_norm, 1e-5 * expected.gradient_norm);
    EXPECT_LE(gradient_difference(gradients_of(learner), gradients_of(whole)), 1e-6);
  });
}

TEST(Learner, AProcessWithoutABatchTakesPart) {
  const Recipe recipe = small_recipe();
  const std::vector<TokenBatch> batches = {random_batch(3, 1), random_batch(2, 2)};
  SingleProcess alone;
  Learner whole = learner_of(recipe, alone);
  whole.update(batches, kRate);
  ThreadGroup(3).run([&](Group& group) {
    Learner learner = learner_of(recipe, group);
    const auto rank = static_cast<size_t>(group.rank());
    learner.update(std::span(batches).subspan(std::min(rank, batches.size()), rank < 2 ? 1 : 0), kRate);
    EXPECT_LE(gradient_difference(gradients_of(learner), gradients_of(whole)), 1e-6);
    EXPECT_LE(largest_difference(weights_of(learner), weights_of(whole)), 1e-4);
  });
}

TEST(Learner, ProcessesKeepTheSameWeightsThroughLayerDrop) {
  Recipe recipe = small_recipe();
  recipe.model.dropout = 0.2;
  recipe.model.encoder.layer_drop = recipe.model.decoder.layer_drop = 0.5;
  std::vector<std::vector<Tensor>> weights(3);
  std::vector<uint64_t> random(3);
  ThreadGroup(3).run([&](Group& group) {
    Learner learner = learner_of(recipe, group);
    const auto rank = static_cast<size_t>(group.rank());
    // Every process has the same batch here, so that only the random numbers can make them differ.
    for (int update = 0; update < 6; ++update) learner.update(std::vector{random_batch(3, 1)}, kRate);
    weights[rank] = weights_of(learner);
    random[rank] = learner.state().random.state;
  });
  for (size_t rank = 1; rank < 3; ++rank) {
    EXPECT_TRUE(equal(weights[rank], weights[0])) << rank;
    EXPECT_EQ(random[rank], random[0]) << "a checkpoint is the same on every process";
  }
}

TEST(Learner, ProcessesDrawDifferentRandomNumbers) {
  Recipe recipe = small_recipe();
  recipe.model.dropout = 0.3;
  // The loss of the same first update of the same batch, computed by one rank or the other.
  std::vector<double> losses(2);
  for (const int64_t reader : {0, 1}) {
    ThreadGroup(2).run([&](Group& group) {
      Learner learner = learner_of(recipe, group);
      std::vector<TokenBatch> batches;
      if (group.rank() == reader) batches.push_back(random_batch(4, 1));
      const Update done = learner.update(batches, kRate);
      if (group.rank() == 0) losses[static_cast<size_t>(reader)] = done.loss;
    });
  }
  EXPECT_GT(std::abs(losses[0] - losses[1]), 1e-4 * losses[0]) << "their dropout masks are equal";
}

TEST(Learner, OneBadProcessStopsAll) {
  const Recipe recipe = small_recipe();
  ThreadGroup(2).run([&](Group& group) {
    Learner learner = learner_of(recipe, group);
    if (group.rank() == 1) {
      const torch::NoGradGuard no_grad;
      // Behind the mixers, which would refuse it.
      learner.model().module().named_parameters()["decoder.layer_norm.weight"].fill_(
          std::numeric_limits<float>::quiet_NaN());
    }
    const std::vector<Tensor> before = weights_of(learner);
    const Update done = learner.update(std::vector{random_batch(3, 1)}, kRate);
    EXPECT_FALSE(done.has_finite_loss());
    if (group.rank() == 0) {
      EXPECT_TRUE(equal(weights_of(learner), before));
    }
  });
}

TEST(Learner, GoesOnFromACheckpointToTheBit) {
  for (const double ema : {0.0, 0.8}) {
    Recipe recipe = small_recipe();
    recipe.model.dropout = 0.2;
    recipe.training.ema_decay = ema;
    const TempDir dir;
    const CheckpointFiles files{dir.path()};
    SingleProcess alone;
    Learner first = learner_of(recipe, alone);
    for (uint64_t i = 0; i < 3; ++i) first.update(std::vector{random_batch(3, i)}, kRate);
    first.save(files);
    recipe.training.seed = 9;  // other weights to start from
    Learner second = learner_of(recipe, alone);
    EXPECT_FALSE(equal(weights_of(first), weights_of(second)));
    second.load(files);
    second.set_state(first.state());
    for (uint64_t i = 3; i < 6; ++i) {
      const Update a = first.update(std::vector{random_batch(3, i)}, kRate);
      const Update b = second.update(std::vector{random_batch(3, i)}, kRate);
      EXPECT_EQ(a.loss, b.loss);
      EXPECT_EQ(a.gradient_norm, b.gradient_norm);
    }
    EXPECT_TRUE(equal(weights_of(first), weights_of(second)));
    const WeightSwap a = first.with_averaged_weights();
    const WeightSwap b = second.with_averaged_weights();
    EXPECT_TRUE(equal(weights_of(first), weights_of(second))) << "the averages";
  }
}

TEST(Learner, ACheckpointOfAnotherModelIsRefused) {
  Recipe recipe = small_recipe();
  const TempDir dir;
  SingleProcess alone;
  learner_of(recipe, alone).save({dir.path()});
  recipe.model.decoder.ffn = 28;
  Learner other = learner_of(recipe, alone);
  EXPECT_TRUE(has_text(message_of([&] { other.load({dir.path()}); }), "model.decoder.ffn is 24"));
}

}  // namespace
}  // namespace memsizer::train
