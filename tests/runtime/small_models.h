// Small models with random weights, for tests of states.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/synthesizer/description.h"
#include "model/presets.h"
#include "runtime/joined_tokens.h"
#include "runtime/model.h"

namespace memsizer::runtime {

inline ModelConfig small_config(Mechanism mechanism) {
  ModelConfig config = preset_config("tiny");
  config.dim = 48;
  config.vocab = 70;
  config.encoder.heads = config.decoder.heads = 3;
  config.encoder.ffn = config.decoder.ffn = 80;
  config.options<SynthesizerOptions>().max_length = 64;
  config.decoder.self = mechanism;
  config.decoder.cross = mechanism.traits().cross ? mechanism : mechanism_named("memsizer");
  return config;
}

struct SmallModel {
  std::string name;
  ModelConfig config;
};

// MemSizer with each option that changes its state or its step, and with many together.
inline std::vector<SmallModel> memsizer_models() {
  using Change = void (*)(MemsizerOptions&);
  constexpr std::pair<const char*, Change> kChanges[] = {
      {"keys made from the input", [](MemsizerOptions& o) { o.keys = MemsizerKeys::Input; }},
      {"groups", [](MemsizerOptions& o) { o.groups = {.causal = 3, .cross = 3, .encoder = 1}; }},
      {"means",
       [](MemsizerOptions& o) {
         o.read = {MemsizerRead::Mean, MemsizerRead::Mean};
       }},
      {"forgetting", [](MemsizerOptions& o) { o.forget = true; }},
      {"a convolution", [](MemsizerOptions& o) { o.convolution = 4; }},
      {"gates and outputs",
       [](MemsizerOptions& o) {
         o.gate = {.causal = true, .cross = true};
         o.output = {.causal = true, .cross = true};
       }},
      {"a window", [](MemsizerOptions& o) { o.window = 5; }},
      {"groups that forget, a convolution and means of the source",
       [](MemsizerOptions& o) {
         o.groups = {.causal = 3, .cross = 3, .encoder = 1};
         o.read.cross = MemsizerRead::Mean;
         o.output.cross = true;
         o.forget = true;
         o.convolution = 4;
       }},
      {"everything",
       [](MemsizerOptions& o) {
         o.keys = MemsizerKeys::Input;
         o.groups = {.causal = 3, .cross = 3, .encoder = 1};
         o.read = {MemsizerRead::Both, MemsizerRead::Both};
         o.gate = {.causal = true, .cross = true};
         o.output = {.causal = true, .cross = true};
         o.forget = true;
         o.convolution = 3;
         o.window = 4;
       }},
  };
  std::vector<SmallModel> models;
  for (const auto& [name, change] : kChanges) {
    models.push_back({std::string("memsizer with ") + name, small_config(mechanism_named("memsizer"))});
    change(models.back().config.options<MemsizerOptions>());
  }
  return models;
}

// Every mechanism that can be causal, with a source.
inline std::vector<SmallModel> causal_models() {
  std::vector<SmallModel> models;
  for (const Mechanism& mechanism : mechanisms()) {
    const MechanismTraits& row = mechanism.traits();
    if (row.causal_self) models.push_back({std::string(row.name), small_config(mechanism)});
  }
  for (SmallModel& model : memsizer_models()) models.push_back(std::move(model));
  return models;
}

inline ModelConfig language_model(ModelConfig config) {
  config.architecture = Architecture::LanguageModel;
  config.embedding.tie = Tying::Decoder;
  return config;
}

// The same, with a source and as language models, and what else changes a state.
inline std::vector<SmallModel> small_models() {
  std::vector<SmallModel> models = causal_models();
  models.push_back({"softmax over a source's memory", small_config(mechanism_named("softmax"))});
  models.back().config.decoder.cross = mechanism_named("memsizer");
  models.push_back({"memsizer and softmax in turn", small_config(mechanism_named("memsizer"))});
  models.back().config.decoder.self = std::vector{mechanism_named("memsizer"), mechanism_named("softmax")};
  models.back().config.decoder.cross = std::vector{mechanism_named("softmax"), mechanism_named("memsizer")};
  const size_t with_source = models.size();
  for (size_t i = 0; i < with_source; ++i)
    models.push_back({models[i].name + ", language model", language_model(models[i].config)});
  return models;
}

inline std::unique_ptr<Model> random_model(const ModelConfig& config, WeightType type = WeightType::F32,
                                           uint64_t seed = 7) {
  ModelDescription description;
  description.config = config;
  return std::make_unique<Model>(description, *random_source(config, type, seed));
}

inline std::vector<int32_t> random_tokens(int64_t length, uint64_t seed) {
  Random random = Random::of(seed);
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < length; ++i) tokens.push_back(static_cast<int32_t>(4 + random.below(60)));
  return tokens;
}

// The token that a row of this name reads at a step.
inline int32_t token_of(uint64_t name, uint64_t step) {
  return static_cast<int32_t>(4 + Random::of(name, step).below(60));
}

// One row per name, each with a source of its own if the model reads one.
inline DecoderState start_rows(const Model& model, Work& work, const std::vector<uint64_t>& names) {
  if (!model.config().has_encoder()) return model.start(static_cast<int64_t>(names.size()));
  JoinedTokens sources;
  for (const uint64_t name : names) sources.add(random_tokens(static_cast<int64_t>(3 + name % 5), name));
  return model.start(work, sources.ragged(), sources.tokens);
}

// What follows each row after it has read one token more.
inline std::vector<std::vector<float>> step_rows(const Model& model, Work& work, DecoderState& state,
                                                 const std::vector<int32_t>& tokens) {
  std::vector<int64_t> offsets;
  for (size_t i = 0; i <= tokens.size(); ++i) offsets.push_back(static_cast<int64_t>(i));
  const auto vocab = static_cast<size_t>(model.vocab());
  std::vector<float> scores(tokens.size() * vocab);
  model.advance(work, Ragged{offsets}, tokens, state, Model::Scores::LastToken, scores.data());
  std::vector<std::vector<float>> rows;
  for (size_t i = 0; i < tokens.size(); ++i)
    rows.emplace_back(scores.begin() + i * vocab, scores.begin() + (i + 1) * vocab);
  return rows;
}

// What follows after each of the first steps of a row that is alone.
inline std::vector<std::vector<float>> steps_alone(const Model& model, Work& work, uint64_t name,
                                                   uint64_t steps) {
  DecoderState state = start_rows(model, work, {name});
  std::vector<std::vector<float>> scores;
  for (uint64_t step = 0; step < steps; ++step)
    scores.push_back(step_rows(model, work, state, {token_of(name, step)}).front());
  return scores;
}

}  // namespace memsizer::runtime
