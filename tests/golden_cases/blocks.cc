#include <gtest/gtest.h>

#include "core/error.h"
#include "golden_cases/cases.h"
#include "nn/adaptive_softmax.h"
#include "nn/positions.h"
#include "nn/tensor_io.h"
#include "train/losses.h"

namespace memsizer::testing {
namespace {

using at::Tensor;

constexpr double kTolerance = 1e-5;

}  // namespace

bool check_adaptive(const Fixture& fixture) {
  if (fixture.variant() != "adaptive_input_softmax") return false;
  ModelConfig config;
  config.architecture = Architecture::LanguageModel;
  config.dim = fixture.integer("d");
  config.vocab = fixture.integer("vocab");
  config.adaptive.cutoffs = fixture.integers("cutoffs");
  config.adaptive.factor = fixture.integer("factor");
  config.adaptive.tie_weights = fixture.integer("tie_weights") != 0;
  config.adaptive.tie_projections = fixture.integer("tie_proj") != 0;
  config.adaptive.reference_loss = true;
  config.validate();

  torch::nn::Module both;
  const nn::AdaptiveInput input =
      both.register_module("adaptive_input", nn::AdaptiveInput(adaptive_bands(config), config.dim));
  const nn::AdaptiveSoftmax softmax =
      both.register_module("adaptive_softmax", nn::AdaptiveSoftmax(config, input));
  nn::load_tensors(both, fixture.file(), "param.");
  auto parameters = nn::named_tensors(both);
  EXPECT_EQ(parameters.size(), fixture.names_under("param.").size());

  const Tensor tokens = fixture.tensor("input.tokens");
  const Tensor features = fixture.tensor("input.features").requires_grad_();
  const Tensor embedding = input->forward(tokens);
  expect_output(embedding, fixture.tensor("expect.embedding"), kTolerance, "expect.embedding");
  expect_output(softmax->log_probs(features), fixture.tensor("expect.log_probs"), kTolerance,
                "expect.log_probs");
  const Tensor loss = softmax->loss(features.flatten(0, 1), tokens.flatten(), {});
  expect_output(loss.view({1}), fixture.tensor("expect.loss_sum"), kTolerance, "expect.loss_sum");
  (loss + (embedding * fixture.tensor("input.emb_loss_weight")).sum()).backward();
  expect_gradients(fixture, [&](const std::string& name) {
    return name == "features" ? features.grad() : parameters.at(name).grad();
  });
  return true;
}

bool check_label_smoothing(const Fixture& fixture) {
  if (fixture.variant() != "label_smoothing") return false;
  const Tensor logits = fixture.tensor("input.logits").requires_grad_();
  const auto loss =
      train::label_smoothed_loss(logits, fixture.tensor("input.target"), std::stod(fixture.meta("epsilon")));
  expect_output(loss.value.view({1}), fixture.tensor("expect.loss_sum"), kTolerance, "expect.loss_sum");
  expect_output(loss.nll.view({1}), fixture.tensor("expect.nll_sum"), kTolerance, "expect.nll_sum");
  loss.value.backward();
  expect_gradients(fixture, [&](const std::string&) { return logits.grad(); });
  return true;
}

bool check_positions(const Fixture& fixture) {
  if (fixture.variant() != "sinusoidal_positions") return false;
  const at::TensorOptions options(at::kFloat);
  for (const std::string& dim : fixture.names_under("expect.table.dim")) {
    const Tensor expected = fixture.tensor("expect.table.dim" + dim);
    expect_output(nn::sinusoidal_table(expected.size(0), expected.size(1), options), expected, kTolerance,
                  "table of dim " + dim);
  }
  for (const std::string& dim : fixture.names_under("expect.forward.dim")) {
    const Tensor expected = fixture.tensor("expect.forward.dim" + dim);
    nn::Positions positions(EmbeddingConfig{}, expected.size(2));
    expect_output(positions->forward(fixture.tensor("input.tokens"), {}, options), expected, kTolerance,
                  "positions of dim " + dim);
  }
  return true;
}

}  // namespace memsizer::testing
