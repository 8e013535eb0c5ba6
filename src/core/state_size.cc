#include "core/state_size.h"

#include <stdexcept>

namespace memsizer {
namespace {

// A linear kernel keeps, for each head, the sum of outer products and its normaliser.
std::vector<StateField> kernel_fields(const MixerConfig& config, int64_t features) {
  return {{.name = "memory", .shape = {config.heads, features, config.head_dim()}},
          {.name = "normaliser", .shape = {config.heads, features}}};
}

std::vector<StateField> memsizer_fields(const MixerConfig& config) {
  const int64_t slots = config.memsizer.slots.at(config.position);
  std::vector<StateField> fields = {{.name = "memory", .shape = {slots, config.dim}}};
  if (config.position == Position::CausalSelf)
    fields.push_back({.name = "count", .shape = {}, .type = DType::I64});
  if (config.memsizer.keys == MemsizerKeys::Input)
    fields.push_back({.name = "key_memory", .shape = {config.dim, config.memsizer_heads() * slots}});
  return fields;
}

std::vector<StateField> token_fields(const MixerConfig& config, const std::vector<std::string>& names) {
  std::vector<StateField> fields;
  for (const std::string& name : names) {
    fields.push_back({.name = name,
                      .shape = {config.heads, config.head_dim()},
                      .growth = config.position == Position::CausalSelf ? Growth::PerTargetToken
                                                                        : Growth::PerSourceToken});
  }
  return fields;
}

}  // namespace

std::vector<StateField> state_fields(const MixerConfig& config) {
  config.validate();
  switch (config.mechanism) {
    case Mechanism::Memsizer:
      return memsizer_fields(config);
    case Mechanism::Softmax:
      return token_fields(config, {"keys", "values"});
    case Mechanism::Elu:
      return kernel_fields(config, config.head_dim());
    case Mechanism::Rfa:
      return kernel_fields(config, 2 * config.rfa.features.at(config.position));
    case Mechanism::T2r:
      return kernel_fields(config, config.t2r.features.at(config.position));
    case Mechanism::Performer:
      return kernel_fields(config, config.performer.features.at(config.position));
    case Mechanism::SynthesizerRandom:
    case Mechanism::SynthesizerDense:
      return token_fields(config, {"values"});
    case Mechanism::Ssru:
      return {{.name = "memory", .shape = {config.dim}}};
    case Mechanism::Linformer:
      return {};
  }
  throw std::logic_error("mechanism without state fields");
}

std::vector<LayerFields> decoder_fields(const ModelConfig& config) {
  LayerFields layer{.self = state_fields(mixer_config(config, Position::CausalSelf)), .cross = {}};
  if (config.has_encoder()) layer.cross = state_fields(mixer_config(config, Position::Cross));
  return std::vector<LayerFields>(static_cast<size_t>(config.decoder.layers), layer);
}

StateSize& StateSize::operator+=(const StateSize& other) {
  constant_bytes += other.constant_bytes;
  bytes_per_target_token += other.bytes_per_target_token;
  bytes_per_source_token += other.bytes_per_source_token;
  return *this;
}

StateSize state_size(std::span<const StateField> fields) {
  StateSize size;
  for (const StateField& field : fields) {
    switch (field.growth) {
      case Growth::Fixed:
        size.constant_bytes += field.bytes();
        break;
      case Growth::PerTargetToken:
        size.bytes_per_target_token += field.bytes();
        break;
      case Growth::PerSourceToken:
        size.bytes_per_source_token += field.bytes();
        break;
    }
  }
  return size;
}

StateSize mixer_state_size(const MixerConfig& config) {
  return state_size(state_fields(config));
}

std::vector<LayerStateSize> layer_state_sizes(const ModelConfig& config) {
  std::vector<LayerStateSize> sizes;
  for (const LayerFields& layer : decoder_fields(config))
    sizes.push_back({state_size(layer.self), state_size(layer.cross)});
  return sizes;
}

StateSize decoder_state_size(const ModelConfig& config) {
  StateSize total;
  for (const LayerStateSize& layer : layer_state_sizes(config)) {
    total += layer.self;
    total += layer.cross;
  }
  return total;
}

}  // namespace memsizer
