#include "core/weight_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "mechanisms/linformer/description.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/performer/description.h"
#include "mechanisms/rfa/description.h"
#include "model/presets.h"
#include "model/tensor_list.h"

namespace memsizer {
namespace {

// Matrices that stay in F32, each for a reason that TensorSpec::quantized gives.
constexpr std::array<std::string_view, 12> kKept = {"embed_positions.weight",
                                                    "feat.weight",
                                                    "compress_k.weight",
                                                    "compress_v.weight",
                                                    "proj_k",
                                                    "proj_v",
                                                    "omega",
                                                    "projection_matrix",
                                                    "attention_weight",
                                                    "random_matrices",
                                                    "convolution.weight",
                                                    "decay_proj.weight"};

void expect_every_matrix_decided(const ModelConfig& config) {
  size_t quantized = 0;
  for (const TensorSpec& tensor : tensor_list(config)) {
    const bool kept = std::ranges::any_of(kKept, [&](auto end) { return tensor.name.ends_with(end); });
    EXPECT_EQ(tensor.quantized, tensor.shape.size() == 2 && !kept) << tensor.name;
    if (tensor.quantized) ++quantized;
    // Scales must not be taken for weights.
    EXPECT_FALSE(tensor.name.ends_with(".scale")) << tensor.name;
  }
  EXPECT_GT(quantized, 0U);
}

using Change = std::function<void(ModelConfig&)>;

void expect_every_matrix_decided(const Change& change) {
  for (const Architecture architecture : {Architecture::EncoderDecoder, Architecture::LanguageModel}) {
    ModelConfig config = preset_config("tiny");
    config.architecture = architecture;
    change(config);
    expect_every_matrix_decided(config);
  }
}

TEST(WeightType, NoMatrixOfAPresetIsForgotten) {
  for (const Preset& preset : presets()) expect_every_matrix_decided(preset_config(preset.name));
}

TEST(WeightType, NoMatrixOfAMechanismIsForgotten) {
  for (const Mechanism& mechanism : mechanisms()) {
    const MechanismTraits& row = mechanism.traits();
    SCOPED_TRACE(row.name);
    expect_every_matrix_decided([&](ModelConfig& config) {
      if (row.supports(Position::EncoderSelf)) config.encoder.self = mechanism;
      if (row.supports(Position::CausalSelf)) config.decoder.self = mechanism;
      if (row.supports(Position::Cross)) config.decoder.cross = mechanism;
    });
  }
}

TEST(WeightType, NoMatrixOfAnOptionIsForgotten) {
  const auto all = [](ModelConfig& config, Mechanism mechanism) {
    config.decoder.self = config.decoder.cross = config.encoder.self = mechanism;
  };
  expect_every_matrix_decided(
      [&](ModelConfig& config) { config.options<MemsizerOptions>().keys = MemsizerKeys::Input; });
  expect_every_matrix_decided([&](ModelConfig& config) {
    all(config, mechanism_named("rfa"));
    config.options<RfaOptions>().form = RfaForm::T2r;
    config.options<RfaOptions>().gate = true;
  });
  for (const PerformerForm form : {PerformerForm::SoftmaxKernel, PerformerForm::Prf}) {
    expect_every_matrix_decided([&](ModelConfig& config) {
      all(config, mechanism_named("performer"));
      config.options<PerformerOptions>().form = form;
    });
  }
  expect_every_matrix_decided([&](ModelConfig& config) {
    config.encoder.self = mechanism_named("linformer");
    config.options<LinformerOptions>().form = LinformerForm::Lucid;
  });
  for (const Tying tie : {Tying::Decoder, Tying::None})
    expect_every_matrix_decided([&](ModelConfig& config) { config.embedding.tie = tie; });
  for (const bool tied : {false, true}) {
    ModelConfig config = preset_config("wiki103");
    config.adaptive.tie_projections = config.adaptive.tie_weights = tied;
    expect_every_matrix_decided(config);
  }
}

TEST(WeightType, StoredTypes) {
  const TensorSpec matrix{.name = "fc1.weight", .shape = {2, 2}, .part = "", .quantized = true};
  EXPECT_EQ(stored_type(matrix, WeightType::F32), DType::F32);
  EXPECT_EQ(stored_type(matrix, WeightType::BF16), DType::BF16);
  EXPECT_EQ(stored_type(matrix, WeightType::I8), DType::I8);
  EXPECT_EQ(stored_type({.name = "fc1.bias", .shape = {2}, .part = ""}, WeightType::I8), DType::F32);
  EXPECT_EQ(weight_type_name(WeightType::BF16), "bf16");
  EXPECT_EQ(parse_weight_type("int8"), WeightType::I8);
  EXPECT_EQ(parse_weight_type("INT8"), std::nullopt);
}

}  // namespace
}  // namespace memsizer
