#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "golden_cases/cases.h"
#include "nn/encoder_decoder.h"
#include "nn/language_model.h"
#include "nn/tensor_io.h"
#include "train/losses.h"

namespace memsizer::testing {
namespace {

using at::Tensor;

constexpr double kTolerance = 1e-5;

// The reference's flags (metadata "config") as our configuration; a flag without a meaning here is a failure.
void apply_flags(const Fixture& fixture, ModelConfig& config) {
  const nlohmann::json flags = nlohmann::json::parse(fixture.meta("config"));
  for (const auto& [flag, value] : flags.items()) {
    const bool on = value.is_number() && value != 0;
    if (flag == "use_memsizer") {
      config.encoder.self = on ? Mechanism::Memsizer : Mechanism::Softmax;
    } else if (flag == "decoder_use_memsizer") {
      config.decoder.self = config.decoder.cross = on ? Mechanism::Memsizer : Mechanism::Softmax;
    } else if (flag == "encoder_normalize_before") {
      config.encoder.pre_norm = on;
    } else if (flag == "decoder_normalize_before") {
      config.decoder.pre_norm = on;
    } else if (flag == "activation_fn") {
      config.activation = value == "gelu" ? Activation::Gelu : Activation::Relu;
    } else if (flag == "encoder_learned_pos" || flag == "decoder_learned_pos") {
      config.embedding.positions = on ? PositionTable::Learned : PositionTable::Sinusoidal;
    } else if (flag == "layernorm_embedding") {
      config.embedding.layer_norm = on;
    } else if (flag == "no_scale_embedding") {
      config.embedding.scale = !on;
    } else {
      ADD_FAILURE() << "flag " << flag << " is not known";
    }
  }
}

ModelConfig translation_config(const Fixture& fixture) {
  ModelConfig config;
  config.dim = fixture.integer("d");
  config.vocab = fixture.integer("vocab");
  config.encoder.layers = config.decoder.layers = fixture.integer("layers");
  config.encoder.heads = config.decoder.heads = fixture.integer("heads");
  config.encoder.ffn = config.decoder.ffn = fixture.integer("ffn");
  config.memsizer.slots = {.causal = fixture.integer("k_causal"),
                           .cross = fixture.integer("k_cross"),
                           .encoder = fixture.integer("k_cross")};
  config.embedding.tie = fixture.integer("share_all_embeddings") ? Tying::All : Tying::None;
  apply_flags(fixture, config);
  if (config.embedding.positions == PositionTable::Learned) {
    config.embedding.max_positions =
        fixture.file().tensor("param.encoder.embed_positions.weight").shape[0] - 2;
  }
  return config;
}

ModelConfig language_config(const Fixture& fixture) {
  ModelConfig config;
  config.architecture = Architecture::LanguageModel;
  config.dim = fixture.integer("d");
  config.vocab = fixture.integer("vocab");
  config.decoder.layers = fixture.integer("layers");
  config.decoder.heads = fixture.integer("heads");
  config.decoder.ffn = fixture.integer("ffn");
  config.decoder.pre_norm = fixture.integer("pre_norm") != 0;
  config.decoder.final_norm = fixture.integer("final_norm") != 0;
  config.decoder.self = fixture.variant().ends_with("_mem") ? Mechanism::Memsizer : Mechanism::Softmax;
  config.memsizer.slots.causal = fixture.integer("k");
  if (fixture.meta("cutoffs") != "none") {
    config.adaptive.cutoffs = fixture.integers("cutoffs");
    config.adaptive.factor = fixture.integer("adaptive_factor");
    config.adaptive.reference_loss = true;
  }
  return config;
}

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
  nn::EncoderDecoder model(translation_config(fixture));
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
  nn::LanguageModel model(language_config(fixture));
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
