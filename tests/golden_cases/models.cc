#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "golden_cases/cases.h"
#include "nn/encoder_decoder.h"
#include "nn/language_model.h"
#include "nn/tensor_io.h"
#include "support/golden_config.h"
#include "train/losses.h"

namespace memsizer::testing {
namespace {

using at::Tensor;

constexpr double kTolerance = 1e-5;

template <typename Model>
void load(Model& model, const Fixture& fixture) {
  nn::load_tensors(*model, fixture.file(), "param.");
  EXPECT_EQ(nn::named_tensors(*model).size(), fixture.names_under("param.").size());
  EXPECT_EQ(count_parameters(tensor_list(model->config())), fixture.integer("num_params"));
}

template <typename Model>
void expect_model_gradients(const Fixture& fixture, const Model& model) {
  auto parameters = nn::named_tensors(*model);
  expect_gradients(fixture, [&](const std::string& name) { return parameters.at(name).grad(); });
}

// Zeroes what stands at padded positions, where a decoder that goes token by token need not agree.
Tensor at_real_tokens(const Tensor& scores, const Tensor& tokens) {
  return scores * tokens.ne(kPad).unsqueeze(2);
}

void check_translation_decoding(const Fixture& fixture, nn::EncoderDecoder& model) {
  torch::NoGradGuard no_grad;
  const Tensor previous = fixture.tensor("input.prev_output_tokens");
  const Tensor expected = at_real_tokens(fixture.tensor("expect.logits"), previous);
  nn::DecoderState state = model->start(fixture.tensor("input.src_tokens"));
  std::vector<Tensor> logits;
  for (int64_t t = 0; t < previous.size(1); ++t) {
    // Rows that have ended are fed the end token; a real decoder would have dropped them.
    const Tensor token = previous.slice(1, t, t + 1);
    logits.push_back(model->advance(token.masked_fill(token.eq(kPad), kEos), state));
  }
  expect_output(at_real_tokens(at::cat(logits, 1), previous), expected, kTolerance, "token by token");
}

}  // namespace

bool check_translation_model(const Fixture& fixture) {
  static const std::set<std::string> known = {
      "model_mt_sa_post",     "model_mt_sa_pre",     "model_mt_decmem_post", "model_mt_decmem_pre",
      "model_mt_allmem_post", "model_mt_allmem_pre", "model_mt_bartlike"};
  if (!known.contains(fixture.variant())) return false;
  nn::EncoderDecoder model(golden_config(fixture.file()));
  load(model, fixture);

  const Tensor source = fixture.tensor("input.src_tokens");
  const Tensor encoded = model->encode(source).out;
  expect_output(encoded, fixture.tensor("expect.encoder_out"), kTolerance, "expect.encoder_out");
  const Tensor logits = model->forward(source, fixture.tensor("input.prev_output_tokens"));
  expect_output(logits, fixture.tensor("expect.logits"), kTolerance, "expect.logits");

  const auto loss = train::label_smoothed_loss(logits.flatten(0, 1), fixture.tensor("input.target").flatten(),
                                               std::stod(fixture.meta("label_smoothing")));
  expect_output(loss.value.view({1}), fixture.tensor("expect.loss_sum"), kTolerance, "expect.loss_sum");
  expect_output(loss.nll.view({1}), fixture.tensor("expect.nll_sum"), kTolerance, "expect.nll_sum");
  loss.value.backward();
  expect_model_gradients(fixture, model);
  check_translation_decoding(fixture, model);
  return true;
}

bool check_language_model(const Fixture& fixture) {
  static const std::set<std::string> known = {"model_lm_adaptive_mem", "model_lm_adaptive_sa",
                                              "model_lm_tied_mem", "model_lm_tied_sa"};
  if (!known.contains(fixture.variant())) return false;
  nn::LanguageModel model(golden_config(fixture.file()));
  load(model, fixture);

  const Tensor tokens = fixture.tensor("input.src_tokens");
  const Tensor targets = fixture.tensor("input.target").flatten();
  const Tensor features = model->forward(tokens);
  if (fixture.has("expect.features")) {
    expect_output(features, fixture.tensor("expect.features"), kTolerance, "expect.features");
  }
  if (fixture.has("expect.logits")) {
    expect_output(model->logits(features), fixture.tensor("expect.logits"), kTolerance, "expect.logits");
  }
  const Tensor log_probs = model->log_probs(features);
  expect_output(log_probs, fixture.tensor("expect.log_probs"), kTolerance, "expect.log_probs");
  const Tensor true_nll = at::nll_loss(log_probs.flatten(0, 1), targets, {}, at::Reduction::Sum, kPad);
  expect_output(true_nll.view({1}), fixture.tensor("expect.true_nll_sum"), kTolerance, "expect.true_nll_sum");

  const Tensor flat = features.flatten(0, 1);
  const Tensor loss = model->adaptive_softmax()
                          ? model->adaptive_softmax()->loss(flat, targets, {})
                          : train::label_smoothed_loss(model->logits(flat), targets, 0.0).value;
  expect_output(loss.view({1}), fixture.tensor("expect.loss_sum"), kTolerance, "expect.loss_sum");
  loss.backward();
  expect_model_gradients(fixture, model);

  torch::NoGradGuard no_grad;
  nn::DecoderState state = model->start(tokens.size(0));
  std::vector<Tensor> steps;
  for (int64_t t = 0; t < tokens.size(1); ++t) {
    const Tensor token = tokens.slice(1, t, t + 1);
    steps.push_back(model->advance(token.masked_fill(token.eq(kPad), kEos), state));
  }
  expect_output(at_real_tokens(at::cat(steps, 1), tokens),
                at_real_tokens(fixture.tensor("expect.log_probs"), tokens), kTolerance, "token by token");
  return true;
}

}  // namespace memsizer::testing
