#include "train/trained_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/config_difference.h"
#include "support/messages.h"
#include "support/small_training.h"
#include "support/temp_dir.h"

namespace memsizer::train {
namespace {

using at::Tensor;
using memsizer::testing::equal;
using memsizer::testing::has_text;
using memsizer::testing::learner_of;
using memsizer::testing::message_of;
using memsizer::testing::random_batch;
using memsizer::testing::small_recipe;
using memsizer::testing::TempDir;
using memsizer::testing::weights_of;

Recipe softmax_recipe() {
  Recipe recipe = small_recipe();
  recipe.model.decoder.self = recipe.model.decoder.cross = mechanism_named("softmax");
  return recipe;
}

// The model file of a learner, with a tokenizer of the model's vocabulary in name only.
std::filesystem::path written(Learner& learner, const Recipe& recipe, const TempDir& dir,
                              const std::string& tokenizer = "a tokenizer") {
  ModelDescription description;
  description.config = recipe.model;
  description.task = recipe.task.kind;
  description.tokenizer = tokenizer;
  const std::filesystem::path path = dir / "model.safetensors";
  nn::save_tensors(nn::named_tensors(learner.model().module()), path, model_metadata(description),
                   tokenizer_tensors(description));
  return path;
}

TEST(TrainedModel, GivesTheTensorsThatFitAndLeavesTheOthers) {
  const TempDir dir;
  SingleProcess alone;
  const Recipe before = softmax_recipe();
  Learner old = learner_of(before, alone);
  old.update(std::vector{random_batch(3, 1)}, 1e-2);
  const TrainedModel model("training.init_from", written(old, before, dir));

  for (const double ema : {0.0, 0.9}) {
    Recipe recipe = small_recipe();
    recipe.training.seed = 5;
    recipe.training.ema_decay = ema;
    Learner scratch = learner_of(recipe, alone);
    Learner learner = learner_of(recipe, alone);
    const nn::TakenTensors taken = learner.start_from(model.file());

    const auto theirs = nn::named_tensors(old.model().module());
    const auto initial = nn::named_tensors(scratch.model().module());
    const auto mine = nn::named_tensors(learner.model().module());
    EXPECT_EQ(taken.total(), mine.size());
    for (const auto& [name, tensor] : mine) {
      const bool fits = theirs.contains(name) && theirs.at(name).sizes() == tensor.sizes();
      EXPECT_EQ(std::ranges::count(taken.taken, name), fits ? 1 : 0) << name;
      EXPECT_TRUE(tensor.equal(fits ? theirs.at(name) : initial.at(name))) << name;
    }
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    EXPECT_TRUE(has(taken.taken, "encoder.layers.1.self_attn.q_proj.weight"));
    EXPECT_TRUE(has(taken.taken, "decoder.layers.0.fc1.weight"));
    EXPECT_TRUE(has(taken.missing, "decoder.layers.0.self_attn.v_layer_norm.weight"));
    EXPECT_TRUE(has(taken.other_shape, "decoder.layers.0.encoder_attn.k_proj.weight"));

    const std::vector<Tensor> weights = weights_of(learner);
    const WeightSwap averaged = learner.with_averaged_weights();
    EXPECT_TRUE(equal(weights_of(learner), weights)) << "the average starts from the same weights";
  }
}

TEST(TrainedModel, TellsLayersThatLackTheSameTogether) {
  nn::TakenTensors tensors;
  tensors.taken = {"a", "b", "c"};
  tensors.missing = {"decoder.layers.0.self_attn.x.weight",  "decoder.layers.1.self_attn.x.weight",
                     "decoder.layers.10.self_attn.x.weight", "decoder.layers.2.self_attn.x.weight",
                     "decoder.layers.0.self_attn.y.weight",  "decoder.layers.1.self_attn.y.weight",
                     "decoder.layers.10.self_attn.y.weight", "decoder.layers.2.self_attn.y.weight",
                     "decoder.layers.1.encoder_attn.z",      "decoder.layer_norm.weight"};
  tensors.other_shape = {"encoder.layers.3.fc1.weight"};
  EXPECT_EQ(
      described(tensors, "M"),
      (std::vector<std::string>{
          "taken from M: 3 of 14 tensors", "  not taken (no such tensor): decoder.layer_norm.weight",
          "  not taken (no such tensor): decoder.layers.0-2, 10: self_attn.x.weight, self_attn.y.weight",
          "  not taken (no such tensor): decoder.layers.1: encoder_attn.z",
          "  not taken (other shape): encoder.layers.3: fc1.weight"}));
}

TEST(TrainedModel, FrozenItComputesWhatTheTrainedOneDoes) {
  const TempDir dir;
  SingleProcess alone;
  const Recipe recipe = softmax_recipe();
  Learner learner = learner_of(recipe, alone);
  const TrainedModel model("training.teacher", written(learner, recipe, dir));
  const auto frozen = model.frozen(at::kCPU);
  const TokenBatch batch = random_batch(3, 1);
  EXPECT_TRUE(frozen->features(batch, {}).equal(learner.model().features(batch, {})));
  for (const Tensor& parameter : frozen->module().parameters()) EXPECT_FALSE(parameter.requires_grad());
}

TEST(TrainedModel, WhatDoesNotFitIsRefused) {
  const TempDir dir;
  SingleProcess alone;
  const Recipe recipe = softmax_recipe();
  Learner learner = learner_of(recipe, alone);
  const std::filesystem::path path = written(learner, recipe, dir);
  const TrainedModel model("training.init_from", dir.path());  // a run's folder

  Recipe other = recipe;
  other.data.tokenizer.vocab = 20;
  EXPECT_EQ(message_of([&] { model.require_fit(other); }), "no error");
  other.data.tokenizer.vocab = 30;
  const std::string size = message_of([&] { model.require_fit(other); });
  EXPECT_TRUE(has_text(size, "training.init_from: " + path.string() + " has another vocabulary: 20 tokens"));
  EXPECT_TRUE(has_text(size, "data.tokenizer.vocab is 30"));
  other.data.tokenizer.model = "named.model";
  EXPECT_EQ(message_of([&] { model.require_fit(other); }), "no error") << "compared when it is read";
  other.data.tokenizer.joint = false;
  EXPECT_TRUE(has_text(message_of([&] { model.require_fit(other); }), "data.tokenizer.joint=true"));
  other.task.kind = Task::Summarization;
  EXPECT_TRUE(has_text(message_of([&] { model.require_fit(other); }), "is a model for translation"));

  EXPECT_TRUE(
      has_text(message_of([&] {
                 TrainedModel("training.init_from", written(learner, recipe, dir, "")).require_fit(recipe);
               }),
               "holds no tokenizer"));
}

TEST(ConfigDifference, MixersAndDropoutAreNoOtherArchitecture) {
  const ModelConfig ours = small_recipe().model;
  ModelConfig theirs = softmax_recipe().model;
  theirs.dropout = 0.3;
  theirs.decoder.layer_drop = 0.1;
  theirs.decoder.heads = 4;
  theirs.embedding.max_positions = 99;
  theirs.options<MemsizerOptions>().slots.causal = 12;
  EXPECT_TRUE(first_difference(theirs, ours));
  EXPECT_FALSE(architecture_difference(theirs, ours));
}

TEST(ConfigDifference, AllElseIs) {
  const ModelConfig ours = small_recipe().model;
  const auto differs = [&](auto change) {
    ModelConfig theirs = ours;
    change(theirs);
    const auto found = architecture_difference(theirs, ours);
    return found ? found->option : "nothing";
  };
  EXPECT_EQ(differs([](ModelConfig& c) { c.dim = 32; }), "model.dim");
  EXPECT_EQ(differs([](ModelConfig& c) { c.vocab = 32; }), "model.vocab");
  EXPECT_EQ(differs([](ModelConfig& c) { c.activation = Activation::Gelu; }), "model.activation");
  EXPECT_EQ(differs([](ModelConfig& c) { c.encoder.layers = 5; }), "model.encoder.layers");
  EXPECT_EQ(differs([](ModelConfig& c) { c.decoder.layers = 5; }), "model.decoder.layers");
  EXPECT_EQ(differs([](ModelConfig& c) { c.decoder.ffn = 5; }), "model.decoder.ffn");
  EXPECT_EQ(differs([](ModelConfig& c) { c.decoder.pre_norm = !c.decoder.pre_norm; }),
            "model.decoder.pre_norm");
  EXPECT_EQ(differs([](ModelConfig& c) { c.embedding.tie = Tying::None; }), "model.embedding.tie");
  EXPECT_EQ(differs([](ModelConfig& c) { c.embedding.scale = !c.embedding.scale; }), "model.embedding.scale");
}

}  // namespace
}  // namespace memsizer::train
