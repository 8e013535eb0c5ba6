// Every mechanism in every position it can stand in: its forms agree, padding on either side changes nothing,
// and what it cannot do is refused.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "mechanisms/linformer/description.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/performer/description.h"
#include "mechanisms/rfa/description.h"
#include "mechanisms/synthesizer/description.h"
#include "mechanisms/t2r/description.h"
#include "model/state_size.h"
#include "model/tensor_list.h"
#include "nn/mixer.h"
#include "nn/tensor_io.h"
#include "support/gradients.h"
#include "support/mechanism_variants.h"
#include "support/messages.h"

namespace memsizer::nn {
namespace {

using at::Tensor;
using testing::gradient_difference;
using testing::has_text;
using testing::largest_difference;
using testing::message_of;

constexpr int64_t kDim = 24;
constexpr int64_t kHeads = 3;
constexpr int64_t kBatch = 3;

struct Variant {
  std::string name;
  MixerConfig config;
  size_t changes = 0;  // options that differ from the default
};

MixerConfig base_config(std::string_view mechanism, Position position) {
  return testing::mixer_of({"", mechanism_named(mechanism), {}}, position);
}

// Each mechanism in a position, with the options that change what it computes.
std::vector<Variant> variants(Position position) {
  std::vector<Variant> list;
  for (const testing::MechanismVariant& variant : testing::mechanism_variants(position))
    list.push_back({variant.name, testing::mixer_of(variant, position), variant.settings.size()});
  return list;
}

// Some variants of a recurrent mechanism can only train.
bool streams(const Variant& variant) {
  auto generator = at::detail::createCPUGenerator(1);
  const std::shared_ptr<Mixer> mixer = make_mixer(variant.config);
  mixer->initialise(generator);
  return message_of([&] { mixer->start(1); }) == "no error";
}

std::shared_ptr<Mixer> build(const MixerConfig& config, at::ScalarType type) {
  std::shared_ptr<Mixer> mixer = make_mixer(config);
  auto generator = at::detail::createCPUGenerator(5);
  mixer->initialise(generator);
  {
    // Away from the special values that biases and norms start with.
    torch::NoGradGuard no_grad;
    for (const Tensor& parameter : mixer->parameters()) {
      parameter.add_(at::randn(parameter.sizes(), generator, at::kFloat) * 0.1);
    }
    // A T2R query whose features are nearly all dead divides rounding errors by almost nothing; no two forms
    // would agree.
    const auto tensors = named_tensors(*mixer);
    if (tensors.contains("feat.bias")) tensors.at("feat.bias").add_(1.0);
  }
  mixer->to(type);
  return mixer;
}

Tensor random_sequence(int64_t time, at::ScalarType type, uint64_t seed = 6) {
  const auto generator = at::detail::createCPUGenerator(seed);
  return at::randn({time, kBatch, kDim}, generator, at::TensorOptions(at::kDouble)).to(type);
}

std::vector<Tensor> trained(const Mixer& mixer) {
  std::vector<Tensor> list;
  for (const Tensor& parameter : mixer.parameters()) {
    if (parameter.requires_grad()) list.push_back(parameter);
  }
  return list;
}

struct Answer {
  std::vector<Tensor> outputs;  // output, then state
  std::vector<Tensor> gradients;
};

std::vector<Tensor> state_tensors(const MixerState& state) {
  std::vector<Tensor> list;
  for (const auto& [name, tensor] : state.fields()) list.push_back(tensor);
  return list;
}

std::vector<Tensor> gradients_of(const Tensor& out, const Tensor& x, const Mixer& mixer) {
  const auto generator = at::detail::createCPUGenerator(7);
  const Tensor weight =
      at::randn(out.sizes(), generator, at::TensorOptions(at::kDouble)).to(out.scalar_type());
  std::vector<Tensor> inputs = trained(mixer);
  inputs.push_back(x);
  auto gradients =
      torch::autograd::grad({(out * weight).sum()}, inputs, {}, c10::nullopt, false, /*allow_unused=*/true);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!gradients[i].defined()) gradients[i] = at::zeros_like(inputs[i]);
  }
  return gradients;
}

// Reads a sequence in pieces of the given length, from an empty state.
Answer in_pieces(Mixer& mixer, const Tensor& x, int64_t piece) {
  MixerState state = mixer.start(x.size(1));
  std::vector<Tensor> out;
  for (int64_t t = 0; t < x.size(0); t += piece) {
    out.push_back(mixer.advance(x.slice(0, t, std::min(t + piece, x.size(0))), state));
  }
  const Tensor joined = at::cat(out);
  std::vector<Tensor> outputs = state_tensors(state);
  outputs.insert(outputs.begin(), joined);
  return {outputs, gradients_of(joined, x, mixer)};
}

class Lengths : public ::testing::TestWithParam<int64_t> {};

TEST_P(Lengths, ParallelChunkwiseAndRecurrentAgree) {
  const int64_t time = GetParam();
  for (const Variant& variant : variants(Position::CausalSelf)) {
    // Several chunks take long: pairs of options are compared on short sequences alone.
    if ((time > 9 && variant.changes > 1) || !streams(variant)) continue;
    for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, std::pair{at::kFloat, 1e-5}}) {
      const std::shared_ptr<Mixer> mixer = build(variant.config, type);
      const Tensor x = random_sequence(time, type).requires_grad_();
      const Tensor parallel = mixer->forward(x);
      const std::vector<Tensor> gradients = gradients_of(parallel, x, *mixer);
      const Answer whole = in_pieces(*mixer, x, time);
      EXPECT_LE(largest_difference({whole.outputs[0]}, {parallel}), tolerance) << variant.name;
      for (const int64_t piece : {int64_t{1}, int64_t{7}, int64_t{64}}) {
        const Answer pieces = in_pieces(*mixer, x, piece);
        EXPECT_LE(largest_difference(pieces.outputs, whole.outputs), tolerance)
            << variant.name << " by " << piece;
        EXPECT_LE(gradient_difference(pieces.gradients, gradients), tolerance)
            << variant.name << " by " << piece;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Odd, Lengths, ::testing::Values(1, 2, 9, 63, 64, 65, 257));

// A large batch of wide tokens goes through MemSizer in segments of time; one row of it alone does not.
TEST(Memsizer, SegmentsOfALongSequenceAgreeWithTheWhole) {
  MixerConfig config = base_config("memsizer", Position::CausalSelf);
  config.dim = 512;
  config.heads = 8;
  config.options<MemsizerOptions>().slots.causal = 32;
  const std::shared_ptr<Mixer> mixer = build(config, at::kDouble);
  const auto generator = at::detail::createCPUGenerator(9);
  const Tensor x = at::randn({300, 32, 512}, generator, at::TensorOptions(at::kDouble)).requires_grad_();
  Tensor padding = at::zeros({32, 300}, at::kBool);
  padding[3].slice(0, 0, 270).fill_(true);
  const Tensor out = mixer->forward(x, padding);
  const Tensor gradient = torch::autograd::grad({out.select(1, 3).slice(0, 270).square().sum()}, {x})[0];
  const Tensor alone = x.detach().slice(1, 3, 4).slice(0, 270).clone().requires_grad_();
  const Tensor out_alone = mixer->forward(alone);
  const Tensor gradient_alone = torch::autograd::grad({out_alone.square().sum()}, {alone})[0];
  EXPECT_LE(largest_difference({out.slice(1, 3, 4).slice(0, 270)}, {out_alone}), 1e-10);
  EXPECT_LE(largest_difference({gradient.slice(1, 3, 4).slice(0, 270)}, {gradient_alone}), 1e-10);
  const Tensor first = mixer->forward(x.slice(1, 0, 1));
  EXPECT_LE(largest_difference({out.slice(1, 0, 1)}, {first}), 1e-10);
}

// Rows of 9, 6 and 1 tokens, padded on one side to 9 positions.
Tensor padding_mask(bool left) {
  Tensor mask = at::zeros({kBatch, 9}, at::kBool);
  for (const auto& [row, length] : {std::pair{1, 6}, std::pair{2, 1}}) {
    left ? mask[row].slice(0, 0, 9 - length).fill_(true) : mask[row].slice(0, length, 9).fill_(true);
  }
  return mask;
}

// The real tokens of one row of a padded batch, as a batch of one.
Tensor real_part(const Tensor& sequence, const Tensor& mask, int64_t row) {
  const Tensor real = mask[row].logical_not().nonzero().squeeze(1);
  return sequence.index_select(0, real).slice(1, row, row + 1);
}

TEST(Padding, ChangesNothingForCausalMixers) {
  for (const Variant& variant : variants(Position::CausalSelf)) {
    // Position within the batch row, padding included, is what mechanisms of a preset length are made of;
    // their references know no left padding.
    const bool by_position = !variant.config.mechanism.traits().length_agnostic;
    // Its reference keeps padded keys in the denominator.
    if (!streams(variant)) continue;
    for (const bool left : {false, true}) {
      if (by_position && left) continue;
      const std::shared_ptr<Mixer> mixer = build(variant.config, at::kDouble);
      const Tensor mask = padding_mask(left);
      const Tensor x = random_sequence(9, at::kDouble);
      const Tensor out = mixer->forward(x, mask);
      EXPECT_TRUE(out.isfinite().all().item<bool>()) << variant.name;
      MixerState state = mixer->start(kBatch);
      const Tensor advanced = mixer->advance(x, state, mask);
      EXPECT_LE(largest_difference({advanced}, {out}), 1e-10) << variant.name;
      for (int64_t row = 0; row < kBatch; ++row) {
        const Tensor alone = mixer->forward(real_part(x, mask, row));
        EXPECT_LE(largest_difference({real_part(out, mask, row)}, {alone}), 1e-10)
            << variant.name << (left ? ", left, row " : ", right, row ") << row;
      }
    }
  }
}

TEST(Padding, ChangesNothingForCrossAndEncoderMixers) {
  for (const Position position : {Position::Cross, Position::EncoderSelf}) {
    for (const Variant& variant : variants(position)) {
      const Mechanism mechanism = variant.config.mechanism;
      // As their references: Linformer ignores padding, the softmax kernel counts padded keys in its
      // denominator.
      if (mechanism == mechanism_named("linformer") ||
          (mechanism == mechanism_named("performer") &&
           variant.config.options<PerformerOptions>().form == PerformerForm::SoftmaxKernel))
        continue;
      const bool by_position = !mechanism.traits().length_agnostic;
      for (const bool left : {false, true}) {
        if (by_position && left) continue;
        const std::shared_ptr<Mixer> mixer = build(variant.config, at::kDouble);
        const Tensor mask = padding_mask(left);
        const Tensor source = random_sequence(9, at::kDouble);
        const Tensor query = position == Position::Cross ? random_sequence(4, at::kDouble, 8) : source;
        const auto run = [&](const Tensor& q, const Tensor& s, const Tensor& m) {
          return position == Position::Cross ? mixer->forward(q, s, m, {}) : mixer->forward(s, m);
        };
        const Tensor out = run(query, source, mask);
        for (int64_t row = 0; row < kBatch; ++row) {
          const Tensor real = real_part(source, mask, row);
          const Tensor alone = run(query.slice(1, row, row + 1), real, {});
          const Tensor expected =
              position == Position::Cross ? out.slice(1, row, row + 1) : real_part(out, mask, row);
          EXPECT_LE(largest_difference({expected}, {alone}), 1e-10) << variant.name << ", row " << row;
        }
      }
    }
  }
}

TEST(Cross, ReadingOnceAndAttendingStepByStepAgrees) {
  for (const Variant& variant : variants(Position::Cross)) {
    const std::shared_ptr<Mixer> mixer = build(variant.config, at::kDouble);
    const Tensor source = random_sequence(9, at::kDouble);
    const Tensor query = random_sequence(5, at::kDouble, 8);
    const Tensor mask = padding_mask(true);
    const MixerState state = mixer->read(source, mask);
    std::vector<Tensor> steps;
    for (int64_t t = 0; t < 5; ++t) steps.push_back(mixer->attend(query.slice(0, t, t + 1), state));
    EXPECT_LE(largest_difference({at::cat(steps)}, {mixer->forward(query, source, mask, {})}), 1e-10)
        << variant.name;
  }
}

TEST(State, ForkAndReorderAreValues) {
  for (const Variant& variant : variants(Position::CausalSelf)) {
    if (!streams(variant)) continue;
    const std::shared_ptr<Mixer> mixer = build(variant.config, at::kDouble);
    const Tensor x = random_sequence(6, at::kDouble);
    MixerState state = mixer->start(kBatch);
    mixer->advance(x.slice(0, 0, 5), state);
    MixerState fork = state.fork();
    const Tensor order = torch::tensor({2, 0, 0}, at::kLong);
    fork.reorder(order);
    const Tensor last = x.slice(0, 5, 6);
    const Tensor forked = mixer->advance(last.index_select(1, order), fork);
    const Tensor straight = mixer->advance(last, state);
    EXPECT_LE(largest_difference({forked}, {straight.index_select(1, order)}), 1e-10) << variant.name;
  }
}

TEST(State, HoldsTheFieldsOfTheDescription) {
  const auto check = [](const MixerState& state, const Variant& variant, int64_t tokens) {
    const std::vector<StateField> described = variant.config.state();
    ASSERT_EQ(state.fields().size(), described.size()) << variant.name;
    for (const StateField& field : described) {
      std::vector<int64_t> shape = {kBatch};
      shape.insert(shape.end(), field.shape.begin(), field.shape.end());
      if (field.growth != Growth::Fixed) shape.insert(shape.end() - 1, tokens);
      ASSERT_TRUE(state[field.name].defined()) << variant.name << " " << field.name;
      EXPECT_EQ(state[field.name].sizes(), at::IntArrayRef(shape)) << variant.name << " " << field.name;
      EXPECT_EQ(state[field.name].scalar_type(), field.type == DType::I64 ? at::kLong : at::kFloat);
    }
  };
  for (const Variant& variant : variants(Position::CausalSelf)) {
    if (!streams(variant)) continue;
    const std::shared_ptr<Mixer> mixer = build(variant.config, at::kFloat);
    MixerState state = mixer->start(kBatch);
    check(state, variant, 0);
    mixer->advance(random_sequence(8, at::kFloat), state);
    check(state, variant, 8);
  }
  for (const Variant& variant : variants(Position::Cross))
    check(build(variant.config, at::kFloat)->read(random_sequence(8, at::kFloat)), variant, 8);
}

TEST(State, EveryRecurrentMechanismGeneratesByDefault) {
  for (const Mechanism& mechanism : mechanisms()) {
    if (!mechanism.traits().causal_self) continue;
    const MixerConfig config = testing::mixer_of({"", mechanism, {}}, Position::CausalSelf);
    EXPECT_TRUE(streams({"", config, 0})) << mechanism.name();
  }
}

TEST(State, TakesTheBytesThatWereForetold) {
  for (const Variant& variant : variants(Position::CausalSelf)) {
    if (!streams(variant)) continue;
    const std::shared_ptr<Mixer> mixer = build(variant.config, at::kFloat);
    MixerState state = mixer->start(1);
    mixer->advance(random_sequence(8, at::kFloat).slice(1, 0, 1), state);
    EXPECT_EQ(state.bytes(), mixer_state_size(variant.config).at(8, 0)) << variant.name;
  }
  for (const Variant& variant : variants(Position::Cross)) {
    const std::shared_ptr<Mixer> mixer = build(variant.config, at::kFloat);
    const MixerState state = mixer->read(random_sequence(8, at::kFloat).slice(1, 0, 1));
    EXPECT_EQ(state.bytes(), mixer_state_size(variant.config).at(0, 8)) << variant.name;
  }
}

TEST(Tensors, AreThoseTheConfigurationLists) {
  for (const Position position : {Position::CausalSelf, Position::Cross, Position::EncoderSelf}) {
    for (const Variant& variant : variants(position)) {
      EXPECT_NO_THROW(require_tensor_list(*make_mixer(variant.config), mixer_tensor_list(variant.config)))
          << variant.name;
    }
  }
}

TEST(Initialisation, IsFiniteAndTheSameForTheSameSeed) {
  for (const Position position : {Position::CausalSelf, Position::Cross, Position::EncoderSelf}) {
    for (const Variant& variant : variants(position)) {
      const auto started = [&](uint64_t seed) {
        std::shared_ptr<Mixer> mixer = make_mixer(variant.config);
        auto generator = at::detail::createCPUGenerator(seed);
        mixer->initialise(generator);
        return mixer;
      };
      const auto first = named_tensors(*started(1));
      const auto again = named_tensors(*started(1));
      const auto other = named_tensors(*started(2));
      bool differs = false;
      for (const auto& [name, tensor] : first) {
        EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << variant.name << " " << name;
        EXPECT_TRUE(tensor.equal(again.at(name))) << variant.name << " " << name;
        differs = differs || !tensor.equal(other.at(name));
      }
      EXPECT_TRUE(differs) << variant.name;
    }
  }
}

TEST(Dropout, ActsInTrainingOnlyAndFollowsItsGenerator) {
  for (const Variant& variant : variants(Position::CausalSelf)) {
    MixerConfig config = variant.config;
    config.attention_dropout = 0.5;
    const std::shared_ptr<Mixer> mixer = build(config, at::kDouble);
    const Tensor x = random_sequence(40, at::kDouble);
    const auto trained_with = [&](uint64_t seed) {
      Random random{seed};
      return mixer->forward(x, {}, Pass{.training = true, .random = &random});
    };
    EXPECT_TRUE(mixer->forward(x).equal(mixer->forward(x))) << variant.name;
    EXPECT_TRUE(trained_with(1).equal(trained_with(1))) << variant.name;
  }
  // Where the reference drops weights out, so do we; the references of elu and ssru drop nothing.
  for (const auto& [mechanism, drops] :
       {std::pair{"memsizer", true}, std::pair{"softmax", true}, std::pair{"t2r", true},
        std::pair{"synthesizer-random", true}, std::pair{"synthesizer-dense", true}, std::pair{"elu", false},
        std::pair{"ssru", false}}) {
    MixerConfig config = base_config(mechanism, Position::CausalSelf);
    config.attention_dropout = 0.5;
    const std::shared_ptr<Mixer> mixer = build(config, at::kDouble);
    const Tensor x = random_sequence(40, at::kDouble);
    Random one{1};
    Random two{2};
    EXPECT_NE(mixer->forward(x, {}, Pass{.training = true, .random = &one})
                  .equal(mixer->forward(x, {}, Pass{.training = true, .random = &two})),
              drops)
        << mechanism;
  }
}

TEST(Dropout, KeepsTheMean) {
  MixerConfig config = base_config("memsizer", Position::CausalSelf);
  config.attention_dropout = 0.3;
  const std::shared_ptr<Mixer> mixer = build(config, at::kDouble);
  const Tensor x = random_sequence(30, at::kDouble);
  Random random{3};
  const Pass pass{.training = true, .random = &random};
  Tensor mean = at::zeros_like(x);
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) mean += mixer->forward(x, {}, pass).detach() / kDraws;
  EXPECT_LE(largest_difference({mean}, {mixer->forward(x)}), 0.1);
}

TEST(FrozenKeys, GetNoGradient) {
  MixerConfig config = base_config("memsizer", Position::CausalSelf);
  config.options<MemsizerOptions>().keys = MemsizerKeys::Frozen;
  const std::shared_ptr<Mixer> mixer = build(config, at::kFloat);
  mixer->forward(random_sequence(30, at::kFloat)).sum().backward();
  const auto tensors = named_tensors(*mixer);
  EXPECT_FALSE(tensors.at("q_proj.weight").grad().defined());
  EXPECT_TRUE(tensors.at("v_proj.weight").grad().defined());
}

TEST(Refuses, WhatAMechanismCannotDo) {
  const auto make = [](std::string_view mechanism, Position position) {
    make_mixer(base_config(mechanism, position));
  };
  EXPECT_TRUE(has_text(message_of([&] { make("linformer", Position::CausalSelf); }),
                       "linformer cannot be used as causal self-attention"));
  EXPECT_TRUE(has_text(message_of([&] { make("synthesizer-random", Position::Cross); }),
                       "synthesizer-random cannot be used as cross-attention"));
  EXPECT_TRUE(has_text(message_of([&] { make("ssru", Position::EncoderSelf); }),
                       "ssru cannot be used as encoder self-attention"));
  const auto linformer = build(base_config("linformer", Position::EncoderSelf), at::kFloat);
  EXPECT_TRUE(has_text(message_of([&] { linformer->start(1); }), "no form for generation from a state"));
  MixerConfig kernel = base_config("performer", Position::CausalSelf);
  kernel.options<PerformerOptions>().form = PerformerForm::SoftmaxKernel;
  EXPECT_TRUE(
      has_text(message_of([&] { build(kernel, at::kFloat)->start(1); }), "model.performer.form=favor"));
}

TEST(Refuses, BadConfigurations) {
  MixerConfig config = base_config("memsizer", Position::CausalSelf);
  config.options<MemsizerOptions>().slots.causal = 0;
  EXPECT_TRUE(has_text(message_of([&] { make_mixer(config); }), "model.memsizer.causal_slots is 0"));
  config = base_config("softmax", Position::CausalSelf);
  config.heads = 5;
  EXPECT_TRUE(has_text(message_of([&] { make_mixer(config); }),
                       "model.decoder.heads is 5; it must divide model.dim (24)"));
  config.heads = 0;
  EXPECT_TRUE(has_text(message_of([&] { make_mixer(config); }), "model.decoder.heads is 0"));
}

TEST(Refuses, SequencesLongerThanAPresetLength) {
  MixerConfig config = base_config("synthesizer-dense", Position::CausalSelf);
  config.options<SynthesizerOptions>().max_length = 8;
  const auto synthesizer = build(config, at::kFloat);
  EXPECT_TRUE(has_text(message_of([&] { synthesizer->forward(random_sequence(9, at::kFloat)); }),
                       "sequence of 9 tokens is longer than model.synthesizer.max_length (8)"));
  MixerState state = synthesizer->start(kBatch);
  synthesizer->advance(random_sequence(8, at::kFloat), state);
  EXPECT_TRUE(
      has_text(message_of([&] { synthesizer->advance(random_sequence(1, at::kFloat), state); }), "9 tokens"));
  config = base_config("linformer", Position::EncoderSelf);
  config.options<LinformerOptions>().max_length = 8;
  EXPECT_TRUE(
      has_text(message_of([&] { build(config, at::kFloat)->forward(random_sequence(9, at::kFloat)); }),
               "model.linformer.max_length (8)"));
}

TEST(Refuses, BadInput) {
  for (const Variant& variant : variants(Position::CausalSelf)) {
    const auto mixer = build(variant.config, at::kFloat);
    const Tensor x = random_sequence(4, at::kFloat);
    Tensor broken = x.clone();
    broken[2][1][3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(has_text(message_of([&] { mixer->forward(broken); }), "holds NaN or infinity"));
    EXPECT_TRUE(
        has_text(message_of([&] { mixer->forward(x.slice(2, 0, 5)); }), "expected [time, batch, 24]"));
    EXPECT_TRUE(has_text(message_of([&] { mixer->forward(x[0]); }), "expected [time, batch, 24]"));
    EXPECT_TRUE(has_text(message_of([&] { mixer->forward(x.slice(0, 0, 0)); }), "at least one token"));
    EXPECT_TRUE(
        has_text(message_of([&] { mixer->forward(x.to(at::kLong)); }), "expected floating-point numbers"));
    EXPECT_TRUE(has_text(message_of([&] {
                           mixer->forward(x, at::zeros({kBatch, 5}, at::kBool));
                         }),
                         "expected [batch, time] = [3, 4]"));
    Tensor padding = at::zeros({kBatch, 4}, at::kBool);
    padding[1].fill_(true);
    EXPECT_TRUE(
        has_text(message_of([&] { mixer->forward(x, padding); }), "row 1 of the batch is all padding"));
    EXPECT_TRUE(has_text(message_of([&] { mixer->forward(x, x, {}, {}); }), "it takes one sequence"));
    if (!streams(variant)) continue;
    MixerState state = mixer->start(2);
    EXPECT_TRUE(has_text(message_of([&] { mixer->advance(x, state); }), "input has batch 3, the state 2"));
  }
  for (const Variant& variant : variants(Position::Cross)) {
    const auto mixer = build(variant.config, at::kFloat);
    const Tensor x = random_sequence(4, at::kFloat);
    EXPECT_TRUE(
        has_text(message_of([&] { mixer->forward(x.slice(1, 0, 2), x, {}, {}); }), "query has batch 2"));
    EXPECT_TRUE(has_text(message_of([&] {
                           mixer->forward(x, x, at::ones({kBatch, 4}, at::kBool), {});
                         }),
                         "all padding"));
    EXPECT_TRUE(has_text(message_of([&] { mixer->forward(x); }), "needs a source"));
  }
}

}  // namespace
}  // namespace memsizer::nn
