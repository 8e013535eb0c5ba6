#include "support/golden_config.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "mechanisms/memsizer/description.h"

namespace memsizer::testing {
namespace {

int64_t integer(const SafetensorsFile& file, const std::string& key) {
  return std::stoll(fixture_meta(file, key));
}

std::vector<int64_t> integers(const std::string& text) {
  std::vector<int64_t> numbers;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) numbers.push_back(std::stoll(part));
  return numbers;
}

void apply_flags(const SafetensorsFile& file, ModelConfig& config) {
  const nlohmann::json flags = nlohmann::json::parse(fixture_meta(file, "config"));
  for (const auto& [flag, value] : flags.items()) {
    const bool on = value.is_number() && value != 0;
    if (flag == "use_memsizer") {
      config.encoder.self = on ? mechanism_named("memsizer") : mechanism_named("softmax");
    } else if (flag == "decoder_use_memsizer") {
      config.decoder.self = config.decoder.cross =
          on ? mechanism_named("memsizer") : mechanism_named("softmax");
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
      throw std::runtime_error("flag " + flag + " is not known");
    }
  }
}

ModelConfig translation_config(const SafetensorsFile& file) {
  ModelConfig config;
  config.dim = integer(file, "d");
  config.vocab = integer(file, "vocab");
  config.encoder.layers = config.decoder.layers = integer(file, "layers");
  config.encoder.heads = config.decoder.heads = integer(file, "heads");
  config.encoder.ffn = config.decoder.ffn = integer(file, "ffn");
  config.options<MemsizerOptions>().slots = {.causal = integer(file, "k_causal"),
                                             .cross = integer(file, "k_cross"),
                                             .encoder = integer(file, "k_cross")};
  config.embedding.tie = integer(file, "share_all_embeddings") != 0 ? Tying::All : Tying::None;
  apply_flags(file, config);
  if (config.embedding.positions == PositionTable::Learned)
    config.embedding.max_positions = file.tensor("param.encoder.embed_positions.weight").shape[0] - 2;
  return config;
}

ModelConfig language_config(const SafetensorsFile& file) {
  ModelConfig config;
  config.architecture = Architecture::LanguageModel;
  config.dim = integer(file, "d");
  config.vocab = integer(file, "vocab");
  config.decoder.layers = integer(file, "layers");
  config.decoder.heads = integer(file, "heads");
  config.decoder.ffn = integer(file, "ffn");
  config.decoder.pre_norm = integer(file, "pre_norm") != 0;
  config.decoder.final_norm = integer(file, "final_norm") != 0;
  config.decoder.self = fixture_meta(file, "variant").ends_with("_mem") ? mechanism_named("memsizer")
                                                                        : mechanism_named("softmax");
  config.options<MemsizerOptions>().slots.causal = integer(file, "k");
  if (fixture_meta(file, "cutoffs") != "none") {
    config.adaptive.cutoffs = integers(fixture_meta(file, "cutoffs"));
    config.adaptive.factor = integer(file, "adaptive_factor");
    config.adaptive.reference_loss = true;
  }
  return config;
}

}  // namespace

const std::string& fixture_meta(const SafetensorsFile& file, const std::string& key) {
  return file.metadata().at(key);
}

ModelConfig golden_config(const SafetensorsFile& file) {
  return fixture_meta(file, "variant").starts_with("model_lm") ? language_config(file)
                                                               : translation_config(file);
}

}  // namespace memsizer::testing
