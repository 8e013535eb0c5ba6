#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "core/error.h"
#include "golden_cases/cases.h"
#include "mechanisms/linformer/description.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/performer/description.h"
#include "mechanisms/rfa/description.h"
#include "mechanisms/softmax/module.h"
#include "mechanisms/synthesizer/description.h"
#include "mechanisms/t2r/description.h"
#include "nn/mixer.h"
#include "nn/tensor_io.h"

namespace memsizer::testing {
namespace {

using at::Tensor;
using nn::Mixer;
using nn::MixerState;

enum class Kind { Parallel, Incremental };

struct Variant {
  std::string_view mechanism;
  Position position;
  Kind kind;
};

constexpr auto kCausal = Position::CausalSelf;
constexpr auto kCross = Position::Cross;
constexpr auto kEncoder = Position::EncoderSelf;

const std::map<std::string, Variant>& variants() {
  static const std::map<std::string, Variant> table = {
      {"memsizer_causal", {"memsizer", kCausal, Kind::Parallel}},
      {"memsizer_cross", {"memsizer", kCross, Kind::Parallel}},
      {"memsizer_encoder", {"memsizer", kEncoder, Kind::Parallel}},
      {"memsizer_incremental", {"memsizer", kCausal, Kind::Incremental}},
      {"memsizer_cross_incremental", {"memsizer", kCross, Kind::Incremental}},
      {"sa_causal", {"softmax", kCausal, Kind::Parallel}},
      {"sa_cross", {"softmax", kCross, Kind::Parallel}},
      {"sa_encoder", {"softmax", kEncoder, Kind::Parallel}},
      {"sa_incremental", {"softmax", kCausal, Kind::Incremental}},
      {"elu_causal", {"elu", kCausal, Kind::Parallel}},
      {"elu_cross", {"elu", kCross, Kind::Parallel}},
      {"rfa_causal_masked", {"rfa", kCausal, Kind::Parallel}},
      {"rfa_causal_recurrent", {"rfa", kCausal, Kind::Parallel}},
      {"rfa_incremental", {"rfa", kCausal, Kind::Incremental}},
      {"rfa_cross", {"rfa", kCross, Kind::Parallel}},
      {"rfa_t2r_causal", {"rfa", kCausal, Kind::Parallel}},
      {"rfa_t2r_gate_causal", {"rfa", kCausal, Kind::Parallel}},
      {"rfa_t2r_incremental", {"rfa", kCausal, Kind::Incremental}},
      {"rfa_t2r_cross", {"rfa", kCross, Kind::Parallel}},
      {"t2r_causal", {"t2r", kCausal, Kind::Parallel}},
      {"t2r_cross", {"t2r", kCross, Kind::Parallel}},
      {"t2r_incremental", {"t2r", kCausal, Kind::Incremental}},
      {"performer_causal", {"performer", kCausal, Kind::Parallel}},
      {"performer_self", {"performer", kEncoder, Kind::Parallel}},
      {"performer_cross", {"performer", kCross, Kind::Parallel}},
      {"performer_favor_causal", {"performer", kCausal, Kind::Parallel}},
      {"performer_favor_cross", {"performer", kCross, Kind::Parallel}},
      {"performer_t2r_prf_causal", {"performer", kCausal, Kind::Parallel}},
      {"performer_t2r_prf_cross", {"performer", kCross, Kind::Parallel}},
      {"performer_t2r_prf_incremental", {"performer", kCausal, Kind::Incremental}},
      {"linformer", {"linformer", kEncoder, Kind::Parallel}},
      {"linformer_lucid", {"linformer", kEncoder, Kind::Parallel}},
      {"synthesizer_random", {"synthesizer-random", kEncoder, Kind::Parallel}},
      {"synthesizer_dense", {"synthesizer-dense", kEncoder, Kind::Parallel}},
  };
  return table;
}

int64_t rows(const Fixture& fixture, const std::string& name) {
  return fixture.file().tensor(name).shape.at(0);
}

int64_t columns(const Fixture& fixture, const std::string& name) {
  return fixture.file().tensor(name).shape.at(1);
}

Widths everywhere(int64_t width) {
  return {.causal = width, .cross = width, .encoder = width};
}

void configure_performer(const Fixture& fixture, MixerConfig& config) {
  config.options<PerformerOptions>().bias = fixture.has("param.q_proj.bias");
  if (fixture.has("buffer.omega")) {
    config.options<PerformerOptions>().form = PerformerForm::Favor;
    config.options<PerformerOptions>().features = everywhere(2 * columns(fixture, "buffer.omega"));
  } else if (fixture.has("buffer.projection_matrix")) {
    config.options<PerformerOptions>().form = PerformerForm::SoftmaxKernel;
    config.options<PerformerOptions>().features = everywhere(rows(fixture, "buffer.projection_matrix"));
  } else {
    config.options<PerformerOptions>().form = PerformerForm::Prf;
    config.options<PerformerOptions>().features = everywhere(columns(fixture, "buffer.random_matrices"));
  }
}

void configure_rfa(const Fixture& fixture, MixerConfig& config) {
  config.options<RfaOptions>().form =
      fixture.variant().starts_with("rfa_t2r") ? RfaForm::T2r : RfaForm::Authors;
  config.options<RfaOptions>().features = everywhere(columns(fixture, "buffer.random_matrices"));
  config.options<RfaOptions>().sigma = fixture.has("param.sigma");
  config.options<RfaOptions>().learned_tau =
      fixture.has("param.tau") && fixture.file().tensor("param.tau").shape.size() == 3;
  config.options<RfaOptions>().gate = fixture.has("param.g_proj.weight");
  config.options<RfaOptions>().rule =
      fixture.variant() == "rfa_causal_masked" ? RfaRule::Masked : RfaRule::Recurrent;
  // The RFA authors keep the temperature as a constant; the fixture names it in its metadata.
  if (!fixture.has("param.tau")) config.options<RfaOptions>().tau = std::stod(fixture.meta("tau"));
}

void configure_linformer(const Fixture& fixture, MixerConfig& config) {
  if (fixture.variant() == "linformer") {
    config.options<LinformerOptions>() = {LinformerForm::Fairseq, rows(fixture, "param.compress_k.weight"),
                                          columns(fixture, "param.compress_k.weight"),
                                          !fixture.has("param.compress_v.weight")};
  } else {
    config.options<LinformerOptions>() = {LinformerForm::Lucid, columns(fixture, "param.proj_k"),
                                          rows(fixture, "param.proj_k"), !fixture.has("param.proj_v")};
  }
}

MixerConfig configure(const Fixture& fixture, const Variant& variant) {
  MixerConfig config{.mechanism = mechanism_named(variant.mechanism),
                     .position = variant.position,
                     .dim = fixture.integer("d"),
                     .heads = fixture.integer("heads")};
  if (variant.mechanism == "memsizer") {
    config.options<MemsizerOptions>().slots = everywhere(rows(fixture, "param.k_proj.weight"));
  } else if (variant.mechanism == "rfa") {
    configure_rfa(fixture, config);
  } else if (variant.mechanism == "t2r") {
    config.options<T2rOptions>().features = everywhere(rows(fixture, "param.feat.weight") / config.heads);
    config.options<T2rOptions>().sigma = fixture.has("param.sigma");
  } else if (variant.mechanism == "performer") {
    configure_performer(fixture, config);
  } else if (variant.mechanism == "linformer") {
    configure_linformer(fixture, config);
  } else if (variant.mechanism.starts_with("synthesizer")) {
    config.options<SynthesizerOptions>().max_length = fixture.integer("max_seq_len");
    if (fixture.meta("mask") == "causal") config.position = Position::CausalSelf;
  }
  return config;
}

// Every stored parameter must find its place and every tensor of the mixer its number.
void load(Mixer& mixer, const Fixture& fixture) {
  torch::NoGradGuard no_grad;
  std::map<std::string, Tensor> wanted = nn::named_tensors(mixer);
  if (wanted.contains("tau") && !fixture.has("param.tau")) {
    wanted.at("tau").fill_(mixer.config().options<RfaOptions>().tau);
    wanted.erase("tau");
  }
  for (const std::string prefix : {"param.", "buffer."}) {
    for (const std::string& name : fixture.names_under(prefix)) {
      ASSERT_TRUE(wanted.contains(name)) << "the mixer has no tensor " << name;
      const Tensor stored = fixture.tensor(prefix + name);
      ASSERT_EQ(wanted.at(name).sizes(), stored.sizes()) << name;
      wanted.at(name).copy_(stored);
      wanted.erase(name);
    }
  }
  ASSERT_TRUE(wanted.empty()) << "the fixture has no tensor " << wanted.begin()->first;
}

double output_tolerance(const Fixture& fixture) {
  const std::string variant = fixture.variant();
  return variant == "rfa_causal_masked" || variant.starts_with("t2r_") ? 2e-5 : 1e-5;
}

void expect_state(const Fixture& fixture, const MixerState& state) {
  const double tolerance = output_tolerance(fixture);
  for (const std::string name : {"expect.state", "expect.state.s"}) {
    if (fixture.has(name)) expect_output(state["memory"], fixture.tensor(name), tolerance, name);
  }
  if (fixture.has("expect.state.z")) {
    expect_output(state["normaliser"], fixture.tensor("expect.state.z"), tolerance, "expect.state.z");
  }
  if (fixture.has("expect.state.len")) {
    expect_output(state["count"].to(at::kFloat), fixture.tensor("expect.state.len"), tolerance,
                  "expect.state.len");
  }
}

void check_parallel(const Fixture& fixture, Mixer& mixer) {
  const bool cross = mixer.config().position == Position::Cross;
  const Tensor padding =
      fixture.has("input.key_padding_mask") ? fixture.tensor("input.key_padding_mask") : Tensor();
  std::map<std::string, Tensor> inputs;
  for (const std::string name : {"x", "query", "key"}) {
    if (fixture.has("input." + name)) inputs[name] = fixture.tensor("input." + name).requires_grad_();
  }
  const Tensor out = cross ? mixer.forward(inputs.at("query"), inputs.at("key"), padding, {})
                           : mixer.forward(inputs.at("x"), padding);
  expect_output(out, fixture.tensor("expect.out"), output_tolerance(fixture), "expect.out");

  (out * fixture.tensor("input.loss_weight")).sum().backward();
  auto parameters = nn::named_tensors(mixer);
  expect_gradients(fixture, [&](const std::string& name) {
    return inputs.contains(name) ? inputs.at(name).grad() : parameters.at(name).grad();
  });

  torch::NoGradGuard no_grad;
  if (cross) {
    const MixerState state = mixer.read(inputs.at("key"), padding);
    expect_state(fixture, state);
    if (fixture.has("expect.attn_mean")) {
      const Tensor weights = dynamic_cast<nn::SoftmaxMixer&>(mixer).mean_weights(inputs.at("query"), state);
      expect_output(weights, fixture.tensor("expect.attn_mean"), output_tolerance(fixture),
                    "expect.attn_mean");
    }
  } else if (!fixture.names_under("expect.state").empty()) {
    MixerState state = mixer.start(inputs.at("x").size(1));
    mixer.advance(inputs.at("x"), state, padding);
    expect_state(fixture, state);
  }
}

void check_incremental(const Fixture& fixture, Mixer& mixer) {
  torch::NoGradGuard no_grad;
  const bool cross = mixer.config().position == Position::Cross;
  const Tensor x = fixture.tensor(cross ? "input.query" : "input.x");
  const int64_t reorder_before =
      fixture.has_meta("reorder_before_step") ? fixture.integer("reorder_before_step") : -1;
  const Tensor padding =
      fixture.has("input.key_padding_mask") ? fixture.tensor("input.key_padding_mask") : Tensor();
  MixerState state = cross ? mixer.read(fixture.tensor("input.key"), padding) : mixer.start(x.size(1));
  std::vector<Tensor> out;
  for (int64_t t = 0; t < x.size(0); ++t) {
    if (t == reorder_before) state.reorder(fixture.tensor("input.new_order"));
    const Tensor token = x.slice(0, t, t + 1);
    out.push_back(cross ? mixer.attend(token, state) : mixer.advance(token, state));
  }
  expect_output(at::cat(out), fixture.tensor("expect.out"), output_tolerance(fixture), "expect.out");
  expect_state(fixture, state);
}

}  // namespace

bool check_mixer(const Fixture& fixture) {
  const auto found = variants().find(fixture.variant());
  if (found == variants().end()) return false;
  const std::shared_ptr<Mixer> mixer = nn::make_mixer(configure(fixture, found->second));
  load(*mixer, fixture);
  if (::testing::Test::HasFatalFailure()) return true;
  found->second.kind == Kind::Incremental ? check_incremental(fixture, *mixer)
                                          : check_parallel(fixture, *mixer);
  return true;
}

}  // namespace memsizer::testing
