#include "model/state_size.h"

namespace memsizer {

std::vector<LayerFields> decoder_fields(const ModelConfig& config) {
  std::vector<LayerFields> layers;
  for (int64_t i = 0; i < config.decoder.layers; ++i) {
    layers.push_back({.self = mixer_config(config, Position::CausalSelf, i).state(), .cross = {}});
    if (config.has_encoder()) layers.back().cross = mixer_config(config, Position::Cross, i).state();
  }
  return layers;
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
  config.validate();
  return state_size(config.state());
}

StateSize LayerStateSize::total() const {
  StateSize sum = self;
  return sum += cross;
}

std::vector<LayerStateSize> layer_state_sizes(const ModelConfig& config) {
  std::vector<LayerStateSize> sizes;
  for (const LayerFields& layer : decoder_fields(config))
    sizes.push_back({state_size(layer.self), state_size(layer.cross)});
  return sizes;
}

StateSize decoder_state_size(const ModelConfig& config) {
  StateSize total;
  for (const LayerStateSize& layer : layer_state_sizes(config)) total += layer.total();
  return total;
}

}  // namespace memsizer
