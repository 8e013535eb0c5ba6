#include "train/mixer_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/gradients.h"
#include "support/small_training.h"
#include "support/thread_group.h"

namespace memsizer::train {
namespace {

using at::Tensor;
using memsizer::testing::learner_of;
using memsizer::testing::random_batch;
using memsizer::testing::small_recipe;
using memsizer::testing::ThreadGroup;

// A model with softmax attention everywhere, the same each time.
std::unique_ptr<TaskModel> old_model() {
  ModelConfig config = small_recipe().model;
  config.decoder.self = config.decoder.cross = mechanism_named("softmax");
  auto model = make_task_model(config);
  auto generator = at::detail::createCPUGenerator(7);
  model->initialise(generator);
  for (Tensor& parameter : model->module().parameters()) parameter.requires_grad_(false);
  return model;
}

TEST(MixerFit, FitsTheNewMixersAndNothingElse) {
  SingleProcess alone;
  Learner learner = learner_of(small_recipe(), alone);
  std::map<std::string, Tensor> before;
  for (const auto& [name, tensor] : nn::named_tensors(learner.model().module()))
    before.emplace(name, tensor.detach().clone());
  MixerFit fit(old_model(), learner.model(), alone);
  EXPECT_EQ(fit.names(),
            (std::vector<std::string>{"decoder.layers.0.encoder_attn", "decoder.layers.0.self_attn",
                                      "decoder.layers.1.encoder_attn", "decoder.layers.1.self_attn"}));
  const std::vector<TokenBatch> batches = {random_batch(4, 1), random_batch(3, 2)};
  const std::vector<MixerError> first = fit.update(batches, 5e-3);
  std::vector<MixerError> last;
  for (int i = 0; i < 150; ++i) last = fit.update(batches, 5e-3);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].name, fit.names()[i]);
    EXPECT_LT(last[i].squared, 0.3 * first[i].squared) << first[i].name;
    EXPECT_EQ(last[i].scale, first[i].scale) << "the old model stays as it is";
  }
  for (const auto& [name, tensor] : nn::named_tensors(learner.model().module())) {
    const bool fitted =
        name.find("decoder.layers.") != std::string::npos && name.find("_attn.") != std::string::npos;
    EXPECT_EQ(tensor.equal(before.at(name)), !fitted) << name;
  }
}

TEST(MixerFit, TheErrorIsThatOfTheOutputs) {
  SingleProcess alone;
  Recipe recipe = small_recipe();
  recipe.model.decoder.cross = mechanism_named("softmax");
  Learner learner = learner_of(recipe, alone);
  {
    // Without values, it adds nothing: the error is the whole of the old output.
    const torch::NoGradGuard no_grad;
    for (const char* layer : {"0", "1"}) {
      for (const char* name : {"v_layer_norm.weight", "v_layer_norm.bias"}) {
        learner.model()
            .module()
            .named_parameters()[fmt::format("decoder.layers.{}.self_attn.{}", layer, name)]
            .zero_();
      }
    }
  }
  MixerFit fit(old_model(), learner.model(), alone);
  EXPECT_EQ(fit.names(),
            (std::vector<std::string>{"decoder.layers.0.self_attn", "decoder.layers.1.self_attn"}));
  for (const MixerError& error : fit.update(std::vector{random_batch(4, 1)}, 0.0)) {
    EXPECT_GT(error.scale, 0.0);
    EXPECT_NEAR(error.squared, error.scale, 1e-5 * error.scale) << error.name;
  }
}

TEST(MixerFit, PaddingDoesNotCount) {
  SingleProcess alone;
  Learner learner = learner_of(small_recipe(), alone);
  MixerFit fit(old_model(), learner.model(), alone);
  const TokenBatch batch = random_batch(2, 1);
  TokenBatch longer = batch;
  longer.source = at::cat({at::full({2, 3}, kPad, at::kLong), batch.source}, 1);
  longer.input = at::cat({batch.input, at::full({2, 4}, kPad, at::kLong)}, 1);
  const std::vector<MixerError> plain = fit.update(std::vector{batch}, 0.0);
  const std::vector<MixerError> padded = fit.update(std::vector{longer}, 0.0);
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(padded[i].squared, plain[i].squared, 1e-4 * plain[i].squared) << plain[i].name;
    EXPECT_NEAR(padded[i].scale, plain[i].scale, 1e-4 * plain[i].scale) << plain[i].name;
  }
}

TEST(MixerFit, AMixerIsNewIfItsFormAtItsPlaceIs) {
  SingleProcess alone;
  const Recipe recipe = small_recipe();
  Learner learner = learner_of(recipe, alone);
  const auto names = [&](auto change) {
    ModelConfig old = recipe.model;
    change(old);
    return MixerFit(make_task_model(old), learner.model(), alone).names();
  };
  const std::vector<std::string> none;
  const std::vector<std::string> causal = {"decoder.layers.0.self_attn", "decoder.layers.1.self_attn"};
  EXPECT_EQ(names([](ModelConfig&) {}), none);
  EXPECT_EQ(names([](ModelConfig& c) { c.dropout = 0.5; }), none);
  EXPECT_EQ(names([](ModelConfig& c) { c.options<MemsizerOptions>().slots.encoder = 9; }), none);
  EXPECT_EQ(names([](ModelConfig& c) { c.options<MemsizerOptions>().slots.causal = 9; }), causal);
  EXPECT_EQ(names([](ModelConfig& c) { c.decoder.self = mechanism_named("elu"); }), causal);
}

TEST(MixerFit, TwoProcessesTakeTheStepOfOne) {
  const Recipe recipe = small_recipe();
  const std::vector<TokenBatch> batches = {random_batch(3, 1), random_batch(3, 2)};
  SingleProcess alone;
  Learner whole = learner_of(recipe, alone);
  MixerFit fit(old_model(), whole.model(), alone);
  const std::vector<MixerError> expected = fit.update(batches, 1e-2);
  ThreadGroup(2).run([&](Group& group) {
    Learner learner = learner_of(recipe, group);
    MixerFit part(old_model(), learner.model(), group);
    const auto rank = static_cast<size_t>(group.rank());
    const std::vector<MixerError> found = part.update(std::span(batches).subspan(rank, 1), 1e-2);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found[i].squared, expected[i].squared, 1e-5 * expected[i].squared);
    EXPECT_LE(memsizer::testing::largest_difference(memsizer::testing::weights_of(learner),
                                                    memsizer::testing::weights_of(whole)),
              1e-4);
  });
}

}  // namespace
}  // namespace memsizer::train
