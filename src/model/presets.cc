#include "model/presets.h"

#include <array>
#include <vector>

namespace memsizer {
namespace {

constexpr std::array kPresets = {
    Preset{"tiny", "2+2 layers, d 128: trains in minutes on a laptop"},
    Preset{"small", "4+4 layers, d 256: corpora of some ten thousand sentences"},
    Preset{"small-6-2", "6+2 layers, d 256: small with most of its layers in the encoder"},
    Preset{"small-12-1", "12+1 layers, d 256: small with a single decoder layer"},
    Preset{"base", "6+6 layers, d 512: the transformer base shape"},
    Preset{"base-6-2", "6+2 layers, d 512: base as a student to deploy"},
    Preset{"base-12-1", "12+1 layers, d 512: base with a single decoder layer"},
    Preset{"transformer-big", "6+6 layers, d 1024: the paper's translation model"},
    Preset{"bart-large", "12+12 layers, d 1024: the paper's summarisation model"},
    Preset{"wiki103", "32 layers, d 1024, adaptive softmax: the paper's language model"},
};

ModelConfig encoder_decoder(int64_t layers, int64_t dim, int64_t ffn, int64_t heads, int64_t vocab) {
  ModelConfig config;
  config.dim = dim;
  config.vocab = vocab;
  config.encoder.layers = config.decoder.layers = layers;
  config.encoder.ffn = config.decoder.ffn = ffn;
  config.encoder.heads = config.decoder.heads = heads;
  return config;
}

// The small shapes train in pre-norm: it needs no careful warm-up.
ModelConfig pre_norm(ModelConfig config) {
  config.encoder.pre_norm = config.decoder.pre_norm = true;
  return config;
}

// A source is read once, while each token pays for every layer of the decoder: so layers are cheap in the
// encoder.
ModelConfig with_layers(ModelConfig config, int64_t encoder, int64_t decoder) {
  config.encoder.layers = encoder;
  config.decoder.layers = decoder;
  return config;
}

ModelConfig transformer_big() {
  ModelConfig config = encoder_decoder(6, 1024, 4096, 16, 32768);
  config.dropout = 0.3;
  return config;
}

ModelConfig bart_large() {
  ModelConfig config = encoder_decoder(12, 1024, 4096, 16, 50264);
  config.activation = Activation::Gelu;
  config.attention_dropout = 0.1;
  config.embedding.scale = false;
  config.embedding.layer_norm = true;
  config.embedding.positions = PositionTable::Learned;
  return config;
}

ModelConfig wiki103() {
  ModelConfig config;
  config.architecture = Architecture::LanguageModel;
  config.dim = 1024;
  config.vocab = 267744;
  config.decoder = {
      .layers = 32, .heads = 8, .ffn = 4096, .pre_norm = true, .final_norm = false, .layer_drop = 0.2};
  config.dropout = 0.2;
  config.attention_dropout = config.activation_dropout = 0.1;
  config.adaptive.cutoffs = {20000, 60000};
  config.adaptive.dropout = 0.2;
  const std::vector<OptionRef> options = collect_options(config, "");
  for (const char* setting : {"memsizer.causal_slots=32", "memsizer.key_scale=32.0",
                              "memsizer.value_scale=1.0", "rfa.causal_features=32", "t2r.causal_features=32"})
    set_option_assignment(options, setting);
  return config;
}

}  // namespace

std::span<const Preset> presets() {
  return kPresets;
}

ModelConfig preset_config(std::string_view name) {
  if (name == "tiny") return pre_norm(encoder_decoder(2, 128, 512, 4, 4000));
  if (name == "small") return pre_norm(encoder_decoder(4, 256, 1024, 4, 8000));
  if (name == "base") return encoder_decoder(6, 512, 2048, 8, 32768);
  if (name == "small-6-2") return with_layers(preset_config("small"), 6, 2);
  if (name == "small-12-1") return with_layers(preset_config("small"), 12, 1);
  if (name == "base-6-2") return with_layers(preset_config("base"), 6, 2);
  if (name == "base-12-1") return with_layers(preset_config("base"), 12, 1);
  if (name == "transformer-big") return transformer_big();
  if (name == "bart-large") return bart_large();
  if (name == "wiki103") return wiki103();
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  throw UserError("unknown preset '{}'; there are {}{}", name, fmt::join(names, ", "),
                  did_you_mean(name, names));
}

}  // namespace memsizer
