// Complete models beyond the golden ones: every mechanism, every tying, generation against teacher forcing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mechanisms/linformer/description.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/synthesizer/description.h"
#include "model/presets.h"
#include "model/state_size.h"
#include "nn/encoder_decoder.h"
#include "nn/language_model.h"
#include "nn/tensor_io.h"
#include "support/gradients.h"
#include "support/mechanism_variants.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "train/losses.h"

namespace memsizer::nn {
namespace {

using at::Tensor;
using testing::has_text;
using testing::largest_difference;
using testing::message_of;

ModelConfig small_config() {
  return testing::small_model_config();
}

// Every mechanism wherever it can be used, and stacks that mix them.
std::vector<testing::NamedConfig> every_decoder() {
  std::vector<testing::NamedConfig> all = testing::mixed_stacks();
  for (const Mechanism& mechanism : mechanisms())
    all.push_back({std::string(mechanism.name()), testing::with_variant({"", mechanism, {}})});
  return all;
}

template <typename Model>
Model started(const ModelConfig& config) {
  Model model(config);
  auto generator = at::detail::createCPUGenerator(1);
  model->initialise(generator);
  model->to(at::kDouble);
  return model;
}

Tensor random_tokens(int64_t batch, int64_t time, int64_t vocab, uint64_t seed) {
  const auto generator = at::detail::createCPUGenerator(seed);
  return at::randint(kUnk + 1, vocab, {batch, time}, generator, at::TensorOptions(at::kLong));
}

// Mechanisms of a preset length count positions within the batch row, so only the others are padded on the
// left.
bool length_agnostic(const ModelConfig& config) {
  for (const PerLayer<Mechanism>* stack :
       {&config.encoder.self, &config.decoder.self, &config.decoder.cross}) {
    for (const Mechanism& mechanism : stack->values()) {
      if (!mechanism.traits().length_agnostic) return false;
    }
  }
  return true;
}

TEST(EncoderDecoder, GeneratesWhatTeacherForcingScoresWithEveryMechanism) {
  for (const auto& [name, config] : every_decoder()) {
    auto model = started<EncoderDecoder>(config);
    Tensor source = random_tokens(3, 7, config.vocab, 2);
    if (length_agnostic(config)) source[1].slice(0, 0, 3).fill_(kPad);
    const Tensor target = random_tokens(3, 9, config.vocab, 3);
    const Tensor expected = model->forward(source, target);
    DecoderState state = model->start(source);
    const Tensor prompt = model->advance(target.slice(1, 0, 4), state);
    std::vector<Tensor> steps{prompt};
    for (int64_t t = 4; t < 9; ++t) steps.push_back(model->advance(target.slice(1, t, t + 1), state));
    EXPECT_LE(largest_difference({at::cat(steps, 1)}, {expected}), 1e-10) << name;
  }
}

TEST(EncoderDecoder, StateTakesTheBytesThatWereForetold) {
  for (const auto& [name, config] : every_decoder()) {
    EncoderDecoder model(config);
    auto generator = at::detail::createCPUGenerator(1);
    model->initialise(generator);
    DecoderState state = model->start(random_tokens(1, 7, config.vocab, 2));
    model->advance(random_tokens(1, 9, config.vocab, 3), state);
    EXPECT_EQ(state.bytes(), decoder_state_size(config).at(9, 7)) << name;
    const std::vector<StateSize> layers = layer_state_sizes(config);
    ASSERT_EQ(state.layers.size(), layers.size());
    for (size_t i = 0; i < layers.size(); ++i)
      EXPECT_EQ(state.layers[i].self.bytes() + state.layers[i].cross.bytes(), layers[i].at(9, 7))
          << name << " " << i;
  }
}

TEST(EncoderDecoder, LeftPaddedTargetsDoNotShift) {
  const ModelConfig config = small_config();
  auto model = started<EncoderDecoder>(config);
  const Tensor source = random_tokens(1, 5, config.vocab, 2);
  const Tensor target = random_tokens(1, 6, config.vocab, 3);
  const Tensor padded = at::cat({at::full({1, 3}, kPad, at::kLong), target}, 1);
  EXPECT_LE(
      largest_difference({model->forward(source, padded).slice(1, 3)}, {model->forward(source, target)}),
      1e-10);
}

TEST(EncoderDecoder, TiesWhatTheConfigurationSays) {
  for (const auto& [tie, tables] :
       {std::pair{Tying::All, 1}, std::pair{Tying::Decoder, 2}, std::pair{Tying::None, 3}}) {
    ModelConfig config = small_config();
    config.embedding.tie = tie;
    auto model = started<EncoderDecoder>(config);
    int found = 0;
    for (const auto& [name, tensor] : named_tensors(*model)) found += tensor.size(0) == config.vocab ? 1 : 0;
    EXPECT_EQ(found, tables);
    const Tensor tokens = random_tokens(2, 4, config.vocab, 2);
    EXPECT_EQ(model->forward(tokens, tokens).sizes(), (at::IntArrayRef{2, 4, config.vocab}));
  }
}

TEST(EncoderDecoder, TakesSeparateVocabularies) {
  ModelConfig config = small_config();
  config.source_vocab = 31;
  config.embedding.tie = Tying::Decoder;
  auto model = started<EncoderDecoder>(config);
  EXPECT_NO_THROW(model->forward(random_tokens(1, 3, 31, 1), random_tokens(1, 3, 50, 1)));
  EXPECT_TRUE(has_text(message_of([&] {
                         model->forward(at::full({1, 2}, 40, at::kLong), random_tokens(1, 3, 50, 1));
                       }),
                       "source tokens hold id 40; the vocabulary has ids 0 to 30"));
}

TEST(EncoderDecoder, LearnsToCopy) {
  ModelConfig config = small_config();
  config.vocab = 12;
  EncoderDecoder model(config);
  auto generator = at::detail::createCPUGenerator(1);
  model->initialise(generator);
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(3e-3));
  const auto loss_of = [&](uint64_t seed) {
    const Tensor tokens = random_tokens(32, 5, config.vocab, seed);
    const Tensor previous = at::cat({at::full({32, 1}, kEos, at::kLong), tokens.slice(1, 0, 4)}, 1);
    return train::label_smoothed_loss(model->forward(tokens, previous).flatten(0, 1), tokens.flatten(), 0.0)
               .value /
           160;
  };
  const double before = loss_of(999).item<double>();
  for (uint64_t step = 0; step < 250; ++step) {
    optimizer.zero_grad();
    loss_of(step).backward();
    optimizer.step();
  }
  EXPECT_GT(before, 2.0);
  EXPECT_LT(loss_of(999).item<double>(), 0.3);
}

TEST(LanguageModel, GeneratesWhatItScores) {
  for (auto [name, config] : every_decoder()) {
    config.architecture = Architecture::LanguageModel;
    config.adaptive.cutoffs = {10, 25};
    config.adaptive.factor = 2;
    auto model = started<LanguageModel>(config);
    const Tensor tokens = random_tokens(2, 8, config.vocab, 4);
    const Tensor expected = model->log_probs(model->forward(tokens));
    EXPECT_LE(largest_difference({expected.exp().sum(2)}, {at::ones({2, 8}, at::kDouble)}), 1e-10) << name;
    DecoderState state = model->start(2);
    std::vector<Tensor> steps;
    for (int64_t t = 0; t < 8; ++t) steps.push_back(model->advance(tokens.slice(1, t, t + 1), state));
    EXPECT_LE(largest_difference({at::cat(steps, 1)}, {expected}), 1e-10) << name;
  }
}

TEST(LanguageModel, AdaptiveLossIsTheTrueOneUnlessTheReferenceIsAskedFor) {
  ModelConfig config = small_config();
  config.architecture = Architecture::LanguageModel;
  config.adaptive.cutoffs = {10, 25};
  config.adaptive.factor = 2;
  // Token 11 is the second of the first tail: the one the reference leaves out.
  const Tensor targets = torch::tensor({4, 11, 30, 1}, at::kLong);
  for (const bool reference : {false, true}) {
    config.adaptive.reference_loss = reference;
    auto model = started<LanguageModel>(config);
    const Tensor features = model->forward(random_tokens(1, 4, config.vocab, 5)).flatten(0, 1);
    const Tensor truth = at::nll_loss(model->log_probs(features), targets, {}, at::Reduction::Sum, kPad);
    const Tensor loss = model->adaptive_softmax()->loss(features, targets, {});
    EXPECT_EQ(largest_difference({loss}, {truth}) <= 1e-10, !reference);
    EXPECT_LE(loss.item<double>(), truth.item<double>() + 1e-9);
  }
}

TEST(LayerDrop, SkipsWholeLayersInTrainingOnly) {
  ModelConfig config = small_config();
  config.architecture = Architecture::LanguageModel;
  config.decoder.layers = 6;
  config.decoder.layer_drop = 0.5;
  auto model = started<LanguageModel>(config);
  const Tensor tokens = random_tokens(1, 5, config.vocab, 4);
  EXPECT_TRUE(model->forward(tokens).equal(model->forward(tokens)));
  int with_gradient = 0;
  Random random{3};
  const Pass pass{.training = true, .random = &random};
  constexpr int kPasses = 200;
  for (int i = 0; i < kPasses; ++i) {
    model->zero_grad(/*set_to_none=*/true);
    model->forward(tokens, pass).sum().backward();
    for (int layer = 0; layer < 6; ++layer) {
      const auto tensors = named_tensors(*model);
      with_gradient +=
          tensors.at("decoder.layers." + std::to_string(layer) + ".fc1.weight").grad().defined() ? 1 : 0;
    }
  }
  EXPECT_NEAR(static_cast<double>(with_gradient) / (6 * kPasses), 0.5, 0.06);
}

TEST(Files, HoldTheWholeModel) {
  const testing::TempDir directory;
  const auto path = directory.path() / "model.safetensors";
  ModelConfig config = small_config();
  config.decoder.self = mechanism_named("rfa");
  config.decoder.cross = mechanism_named("performer");
  auto model = started<EncoderDecoder>(config);
  save_tensors(named_tensors(*model), path, {{"format", "test"}});
  auto other = started<EncoderDecoder>(config);
  {
    torch::NoGradGuard no_grad;
    for (const Tensor& parameter : other->parameters()) parameter.zero_();
  }
  load_tensors(*other, SafetensorsFile::open(path));
  const Tensor tokens = random_tokens(2, 4, config.vocab, 2);
  EXPECT_TRUE(model->forward(tokens, tokens).equal(other->forward(tokens, tokens)));
  config.encoder.ffn = 41;
  EncoderDecoder wider(config);
  EXPECT_TRUE(has_text(message_of([&] { load_tensors(*wider, SafetensorsFile::open(path)); }),
                       "this model needs [41"));
  config.encoder.ffn = 40;
  config.encoder.layers = 3;
  EncoderDecoder deeper(config);
  EXPECT_TRUE(
      has_text(message_of([&] { load_tensors(*deeper, SafetensorsFile::open(path)); }), "encoder.layers.2"));
}

TEST(Models, RefuseBadTokens) {
  auto model = started<EncoderDecoder>(small_config());
  const Tensor good = random_tokens(2, 4, 50, 2);
  const auto message = [&](const Tensor& source, const Tensor& target) {
    return message_of([&] { model->forward(source, target); });
  };
  EXPECT_TRUE(has_text(message(at::full({2, 4}, 50, at::kLong), good), "source tokens hold id 50"));
  EXPECT_TRUE(has_text(message(good, at::full({2, 4}, -1, at::kLong)), "target tokens hold id -1"));
  EXPECT_TRUE(has_text(message(good.to(at::kInt), good), "expected [batch, time] of 64-bit integers"));
  EXPECT_TRUE(has_text(message(good[0], good), "expected [batch, time]"));
  EXPECT_TRUE(has_text(message(good.slice(1, 0, 0), good), "expected [batch, time]"));
  Tensor empty_row = good.clone();
  empty_row[1].fill_(kPad);
  EXPECT_TRUE(has_text(message(empty_row, good), "row 1 of the source tokens is all padding"));
  EXPECT_TRUE(has_text(message(good, good.slice(0, 0, 1)), "batch"));
}

TEST(Models, RefuseSequencesLongerThanLearnedPositions) {
  ModelConfig config = small_config();
  config.embedding.positions = PositionTable::Learned;
  config.embedding.max_positions = 6;
  auto model = started<EncoderDecoder>(config);
  EXPECT_NO_THROW(model->forward(random_tokens(1, 6, 50, 1), random_tokens(1, 6, 50, 1)));
  EXPECT_TRUE(
      has_text(message_of([&] { model->forward(random_tokens(1, 7, 50, 1), random_tokens(1, 3, 50, 1)); }),
               "sequence of 7 tokens is longer than model.embedding.max_positions (6)"));
}

TEST(Models, RefuseTheOtherArchitecture) {
  ModelConfig config = small_config();
  EXPECT_TRUE(has_text(message_of([&] { LanguageModel model(config); }), "expected language-model"));
  config.architecture = Architecture::LanguageModel;
  EXPECT_TRUE(has_text(message_of([&] { EncoderDecoder model(config); }), "expected encoder-decoder"));
}

}  // namespace
}  // namespace memsizer::nn
