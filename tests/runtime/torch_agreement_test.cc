// The runtime against the LibTorch model of the same file: every mechanism and variant, step by step and in
// chunks, several sequences of different lengths at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/random.h"
#include "mechanisms/linformer/description.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/performer/description.h"
#include "mechanisms/rfa/description.h"
#include "mechanisms/synthesizer/description.h"
#include "mechanisms/t2r/description.h"
#include "model/model_file.h"
#include "model/presets.h"
#include "model/quantize.h"
#include "nn/encoder_decoder.h"
#include "nn/language_model.h"
#include "nn/tensor_io.h"
#include "runtime/joined_tokens.h"
#include "runtime/model.h"
#include "support/mechanism_variants.h"
#include "support/temp_dir.h"

namespace memsizer::runtime {
namespace {

using at::Tensor;

constexpr double kTolerance = 1e-4;
// Of int8 weights: the root mean square of the logits' errors over that of the logits.
constexpr double kInt8Bound = 0.03;

ModelConfig small_config() {
  return testing::small_model_config();
}

// Biases, norms and scales away from the 0 and 1 they start at, so that none can be forgotten.
void disturb(torch::nn::Module& module, at::Generator& generator) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : module.parameters())
    parameter.add_(at::empty_like(parameter).uniform_(-0.1, 0.1, generator));
}

template <typename TorchModel>
TorchModel torch_model(const ModelConfig& config) {
  TorchModel model(config);
  auto generator = at::detail::createCPUGenerator(1);
  model->initialise(generator);
  disturb(*model, generator);
  return model;
}

void save(const torch::nn::Module& module, const ModelConfig& config, const std::filesystem::path& path) {
  ModelDescription description;
  description.config = config;
  description.task = task_of(config.architecture);
  nn::save_tensors(nn::named_tensors(module), path, model_metadata(description));
}

std::unique_ptr<Model> saved_and_loaded(const torch::nn::Module& module, const ModelConfig& config) {
  const testing::TempDir folder;
  save(module, config, folder.path() / "model");
  return Model::load(folder.path() / "model");
}

std::unique_ptr<Model> quantized_and_loaded(const torch::nn::Module& module, const ModelConfig& config) {
  const testing::TempDir folder;
  save(module, config, folder.path() / "fp32");
  quantize_model(folder.path() / "fp32", WeightType::I8, folder.path() / "int8");
  return Model::load(folder.path() / "int8");
}

std::unique_ptr<Model> random_model(const ModelConfig& config) {
  ModelDescription description;
  description.config = config;
  return std::make_unique<Model>(description, *random_source(config, WeightType::F32, 1));
}

std::vector<int32_t> random_tokens(size_t count, int64_t vocab, uint64_t seed) {
  Random random = Random::of(seed);
  std::vector<int32_t> tokens(count);
  for (int32_t& token : tokens)
    token = static_cast<int32_t>(kUnk + 1 +
                                 static_cast<int64_t>(random.below(static_cast<uint64_t>(vocab - kUnk - 1))));
  return tokens;
}

Tensor as_batch(const std::vector<int32_t>& tokens) {
  return at::tensor(c10::ArrayRef<int32_t>(tokens), at::kInt).to(at::kLong).unsqueeze(0);
}

// The largest difference between rows of scores, `got` being laid one sequence after the other.
double difference(const Tensor& expected, const float* got) {
  const Tensor actual = at::from_blob(const_cast<float*>(got), expected.sizes(), at::kFloat);
  return (actual - expected.to(at::kFloat)).abs().max().item<double>();
}

// Feeds each row its tokens in pieces of the given lengths (the last repeats) and returns the scores after
// every token, row after row.
std::vector<std::vector<float>> fed(const Model& model, Work& work, DecoderState& state,
                                    const std::vector<std::vector<int32_t>>& rows,
                                    const std::vector<size_t>& pieces) {
  std::vector<std::vector<float>> scores(rows.size());
  size_t done = 0;
  for (size_t p = 0; done < rows.front().size(); ++p) {
    const size_t length = std::min(pieces[std::min(p, pieces.size() - 1)], rows.front().size() - done);
    std::vector<std::vector<int32_t>> next;
    for (const auto& row : rows) next.emplace_back(row.begin() + done, row.begin() + done + length);
    const JoinedTokens joined(next);
    std::vector<float> got(joined.tokens.size() * static_cast<size_t>(model.vocab()));
    model.advance(work, joined.ragged(), joined.tokens, state, Model::Scores::EveryToken, got.data());
    const size_t share = got.size() / rows.size();
    for (size_t r = 0; r < rows.size(); ++r)
      scores[r].insert(scores[r].end(), got.begin() + r * share, got.begin() + (r + 1) * share);
    done += length;
  }
  return scores;
}

void expect_translator_agrees(const ModelConfig& config, const std::string& name) {
  SCOPED_TRACE(name);
  const torch::NoGradGuard no_grad;
  auto torch = torch_model<nn::EncoderDecoder>(config);
  const auto model = saved_and_loaded(*torch, config);
  const std::vector<std::vector<int32_t>> sources = {random_tokens(7, config.source_vocab_size(), 2),
                                                     random_tokens(1, config.source_vocab_size(), 3),
                                                     random_tokens(19, config.source_vocab_size(), 4)};
  std::vector<std::vector<int32_t>> targets;
  for (uint64_t i = 0; i < 3; ++i) targets.push_back(random_tokens(11, config.vocab, 5 + i));
  std::vector<Tensor> expected;
  for (size_t i = 0; i < sources.size(); ++i)
    expected.push_back(torch->forward(as_batch(sources[i]), as_batch(targets[i]))[0]);
  for (const std::vector<size_t>& pieces : {std::vector<size_t>{1}, {4, 1, 6}, {11}}) {
    for (const int threads : {1, 2}) {
      Work work(threads);
      const JoinedTokens source(sources);
      DecoderState state = model->start(work, source.ragged(), source.tokens);
      const auto scores = fed(*model, work, state, targets, pieces);
      for (size_t i = 0; i < sources.size(); ++i) {
        EXPECT_LE(difference(expected[i], scores[i].data()), kTolerance)
            << "row " << i << ", first piece of " << pieces[0] << ", " << threads << " threads";
      }
    }
  }
}

void expect_language_model_agrees(const ModelConfig& config, const std::string& name) {
  SCOPED_TRACE(name);
  const torch::NoGradGuard no_grad;
  auto torch = torch_model<nn::LanguageModel>(config);
  const auto model = saved_and_loaded(*torch, config);
  std::vector<std::vector<int32_t>> rows;
  for (uint64_t i = 0; i < 3; ++i) rows.push_back(random_tokens(13, config.vocab, 5 + i));
  Work work(2);
  for (const std::vector<size_t>& pieces : {std::vector<size_t>{1}, {5, 1}, {13}}) {
    DecoderState state = model->start(3);
    const auto scores = fed(*model, work, state, rows, pieces);
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tensor features = torch->forward(as_batch(rows[i]));
      const Tensor expected =
          config.adaptive.enabled() ? torch->log_probs(features)[0] : torch->logits(features)[0];
      EXPECT_LE(difference(expected, scores[i].data()), kTolerance) << "row " << i;
    }
  }
}

// Variants that can only train are refused when they are loaded to generate.
bool generates(const ModelConfig& config) {
  try {
    random_model(config);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

TEST(TorchAgreement, EveryVariantOfEveryMechanismInEveryPosition) {
  std::set<std::pair<std::string_view, std::string>> compared;
  for (const Position position : kPositions) {
    for (const testing::MechanismVariant& variant : testing::mechanism_variants(position)) {
      // Options of all positions change every one of them, and one comparison will do.
      if (!compared.emplace(variant.mechanism.name(), variant.name).second) continue;
      ModelConfig config = testing::with_variant(variant);
      if (!generates(config)) {
        // Everywhere but in the causal position.
        config.decoder.self = mechanism_named("memsizer");
        ASSERT_TRUE(generates(config)) << variant.name;
      }
      expect_translator_agrees(config, variant.name);
    }
  }
  EXPECT_GE(compared.size(), mechanisms().size());
}

// All of MemSizer's options at once, with each of the choices that change what the others do.
std::vector<testing::MechanismVariant> full_memsizers(const std::vector<std::string>& all_keys,
                                                      const std::vector<std::string>& all_norms) {
  std::vector<testing::MechanismVariant> variants;
  for (const char* read : {"sum", "mean", "both"}) {
    for (const std::string& keys : all_keys) {
      for (const std::string& norms : all_norms) {
        std::vector<std::string> settings = {"causal_forget=true", "causal_convolution=4", "causal_window=3",
                                             fmt::format("keys={}", keys),
                                             fmt::format("affine_norms={}", norms)};
        for (const Position position : kPositions) {
          const std::string_view key = position_key(position);
          settings.push_back(fmt::format("{}_read={}", key, read));
          settings.push_back(fmt::format("{}_groups=3", key));
          settings.push_back(fmt::format("{}_gate=true", key));
          settings.push_back(fmt::format("{}_output=true", key));
        }
        for (std::string& setting : settings) setting = "model.memsizer." + setting;
        variants.push_back({fmt::format("everything, {}, {} keys, affine norms {}", read, keys, norms),
                            mechanism_named("memsizer"), settings});
      }
    }
  }
  return variants;
}

TEST(TorchAgreement, ManyOptionsTogether) {
  for (const auto& variant : full_memsizers({"learned", "input"}, {"true", "false"})) {
    const ModelConfig config = testing::with_variant(variant);
    expect_translator_agrees(config, variant.name);
    ModelConfig language_model = config;
    language_model.architecture = Architecture::LanguageModel;
    language_model.embedding.tie = Tying::Decoder;
    expect_language_model_agrees(language_model, variant.name);
  }
}

TEST(TorchAgreement, StacksThatMixMechanisms) {
  for (const auto& [name, config] : testing::mixed_stacks()) {
    expect_translator_agrees(config, name);
    ModelConfig language_model = config;
    language_model.architecture = Architecture::LanguageModel;
    language_model.embedding.tie = Tying::Decoder;
    expect_language_model_agrees(language_model, name);
  }
}

using Change = std::function<void(ModelConfig&)>;

TEST(TorchAgreement, EveryShapeOfTheModelAroundThem) {
  const std::vector<std::pair<std::string, Change>> changes = {
      {"pre-norm", [](ModelConfig& c) { c.encoder.pre_norm = c.decoder.pre_norm = true; }},
      {"pre-norm without the last",
       [](ModelConfig& c) {
         c.decoder.pre_norm = true;
         c.decoder.final_norm = false;
       }},
      {"gelu", [](ModelConfig& c) { c.activation = Activation::Gelu; }},
      {"learned positions",
       [](ModelConfig& c) {
         c.embedding.positions = PositionTable::Learned;
         c.embedding.max_positions = 32;
       }},
      {"normalised, unscaled embeddings",
       [](ModelConfig& c) {
         c.embedding.layer_norm = true;
         c.embedding.scale = false;
       }},
      {"nothing tied", [](ModelConfig& c) { c.embedding.tie = Tying::None; }},
      {"two vocabularies",
       [](ModelConfig& c) {
         c.embedding.tie = Tying::Decoder;
         c.source_vocab = 37;
       }},
  };
  for (const auto& [name, change] : changes) {
    ModelConfig config = small_config();
    change(config);
    expect_translator_agrees(config, name);
  }
}

TEST(TorchAgreement, Int8IsWithinItsBound) {
  const torch::NoGradGuard no_grad;
  // A nearly even address of weights whose mean is zero reads almost nothing, and the norm of a read that
  // forgets makes rounding errors large there: in a model that is not trained, with keys made from the input
  // or with norms that have no bias.
  std::vector<testing::MechanismVariant> variants = full_memsizers({"learned"}, {"true"});
  for (const Mechanism& mechanism : mechanisms())
    variants.push_back({std::string(mechanism.name()), mechanism, {}});
  for (const testing::MechanismVariant& variant : variants) {
    SCOPED_TRACE(variant.name);
    ModelConfig config = testing::with_variant(variant);
    config.dim = 96;
    config.encoder.ffn = config.decoder.ffn = 192;
    // A preset forgets: its keys start wide here, so that addresses tell slots apart as trained ones do.
    for (const OptionRef& option : collect_options(config, "model")) {
      if (variant.mechanism.traits().preset && option.path.ends_with(".key_scale")) option.set(0.1);
    }
    auto torch = torch_model<nn::EncoderDecoder>(config);
    const auto model = quantized_and_loaded(*torch, config);
    const std::vector<std::vector<int32_t>> sources = {random_tokens(17, config.vocab, 2)};
    const std::vector<std::vector<int32_t>> targets = {random_tokens(21, config.vocab, 5)};
    const Tensor expected = torch->forward(as_batch(sources[0]), as_batch(targets[0]))[0].to(at::kDouble);
    Work work(2);
    const JoinedTokens source(sources);
    DecoderState state = model->start(work, source.ragged(), source.tokens);
    auto scores = fed(*model, work, state, targets, {1});
    const Tensor found = at::from_blob(scores[0].data(), expected.sizes(), at::kFloat).to(at::kDouble);
    const double error =
        ((found - expected).pow(2).mean().sqrt() / expected.pow(2).mean().sqrt()).item<double>();
    EXPECT_LE(error, kInt8Bound);
    // It is 8 bits that are compared, not the same numbers.
    EXPECT_GT(error, 1e-4);
  }
}

TEST(TorchAgreement, LanguageModels) {
  ModelConfig config = small_config();
  config.architecture = Architecture::LanguageModel;
  config.embedding.tie = Tying::Decoder;
  for (const Mechanism mechanism :
       {mechanism_named("memsizer"), mechanism_named("softmax"), mechanism_named("ssru")}) {
    config.decoder.self = mechanism;
    expect_language_model_agrees(config, std::string(mechanism.name()));
  }
  config.decoder.self = mechanism_named("memsizer");
  config.adaptive.cutoffs = {10, 30};
  config.adaptive.factor = 2;
  for (const auto& [weights, projections] : {std::pair{true, true}, {true, false}, {false, false}}) {
    config.adaptive.tie_weights = weights;
    config.adaptive.tie_projections = projections;
    expect_language_model_agrees(config, "adaptive");
  }
}

}  // namespace
}  // namespace memsizer::runtime
