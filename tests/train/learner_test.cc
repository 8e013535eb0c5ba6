#include "train/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/gradients.h"
#include "support/messages.h"
#include "support/small_training.h"
#include "support/temp_dir.h"
#include "support/thread_group.h"

namespace memsizer::train {
namespace {

using at::Tensor;
using memsizer::testing::equal;
using memsizer::testing::gradient_difference;
using memsizer::testing::has_text;
using memsizer::testing::largest_difference;
using memsizer::testing::learner_of;
using memsizer::testing::message_of;
using memsizer::testing::random_batch;
using memsizer::testing::small_recipe;
using memsizer::testing::TempDir;
using memsizer::testing::ThreadGroup;
using memsizer::testing::weights_of;

constexpr double kRate = 1e-2;

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

// A teacher of another mechanism and another seed.
std::unique_ptr<TaskModel> teacher() {
  ModelConfig config = small_recipe().model;
  config.decoder.self = config.decoder.cross = mechanism_named("softmax");
  auto model = make_task_model(config);
  auto generator = at::detail::createCPUGenerator(3);
  model->initialise(generator);
  return model;
}

TEST(Learner, ATeacherWithoutAShareChangesNoBit) {
  Recipe recipe = small_recipe();
  recipe.model.dropout = 0.2;
  SingleProcess alone;
  Learner plain = learner_of(recipe, alone);
  recipe.training.teacher_weight = 0.0;
  Learner taught = learner_of(recipe, alone);
  taught.learn_from(teacher());
  for (uint64_t i = 0; i < 3; ++i) {
    const Update a = plain.update(std::vector{random_batch(3, i)}, kRate);
    const Update b = taught.update(std::vector{random_batch(3, i)}, kRate);
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(b.teacher, 0.0);
  }
  EXPECT_TRUE(equal(weights_of(plain), weights_of(taught)));
}

TEST(Learner, LearnsFromItsTeacherAndLogsTheLossWithoutIt) {
  Recipe recipe = small_recipe();
  recipe.training.teacher_weight = 1.0;
  SingleProcess alone;
  Learner plain = learner_of(recipe, alone);
  Learner taught = learner_of(recipe, alone);
  taught.learn_from(teacher());
  const std::vector<TokenBatch> batches = {random_batch(4, 1)};
  const Update a = plain.update(batches, kRate);
  const Update first = taught.update(batches, kRate);
  EXPECT_NEAR(first.loss, a.loss, 1e-5 * a.loss);
  EXPECT_NEAR(first.nll, a.nll, 1e-5 * a.nll);
  EXPECT_EQ(a.teacher, 0.0);
  Update last;
  for (int i = 0; i < 60; ++i) last = taught.update(batches, kRate);
  EXPECT_LT(last.teacher, first.teacher);
}

TEST(Learner, ATeacherGoesWithSeveralBatchesAndProcesses) {
  Recipe recipe = small_recipe();
  recipe.training.teacher_weight = 0.6;
  recipe.training.teacher_temperature = 2.0;
  const TokenBatch a = random_batch(3, 1);
  const TokenBatch b = random_batch(5, 2);
  SingleProcess alone;
  Learner whole = learner_of(recipe, alone);
  whole.learn_from(teacher());
  const Update expected = whole.update(std::vector{joined(a, b)}, kRate);
  Learner gathered = learner_of(recipe, alone);
  gathered.learn_from(teacher());
  EXPECT_NEAR(gathered.update(std::vector{a, b}, kRate).teacher, expected.teacher, 1e-6 * expected.teacher);
  EXPECT_LE(gradient_difference(gradients_of(gathered), gradients_of(whole)), 1e-6);
  ThreadGroup(2).run([&](Group& group) {
    Learner learner = learner_of(recipe, group);
    learner.learn_from(teacher());
    const Update done = learner.update(std::vector{group.rank() == 0 ? a : b}, kRate);
    EXPECT_NEAR(done.teacher, expected.teacher, 1e-6 * expected.teacher);
    EXPECT_LE(gradient_difference(gradients_of(learner), gradients_of(whole)), 1e-6);
  });
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
