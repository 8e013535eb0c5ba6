#include "model/state_size.h"

namespace memsizer {

StateSize& StateSize::operator+=(const StateSize& other) {
  constant_bytes += other.constant_bytes;
  bytes_per_target_token += other.bytes_per_target_token;
  bytes_per_source_token += other.bytes_per_source_token;
  return *this;
}

StateSize mixer_state_size(const MixerConfig& config) {
  config.validate();
  StateSize size;
  for (const StateField& field : config.state()) {
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

std::vector<StateSize> layer_state_sizes(const ModelConfig& config) {
  std::vector<StateSize> sizes;
  for (int64_t i = 0; i < config.decoder.layers; ++i) {
    sizes.push_back(mixer_state_size(mixer_config(config, Position::CausalSelf, i)));
    if (config.has_encoder()) sizes.back() += mixer_state_size(mixer_config(config, Position::Cross, i));
  }
  return sizes;
}

StateSize decoder_state_size(const ModelConfig& config) {
  StateSize total;
  for (const StateSize& layer : layer_state_sizes(config)) total += layer;
  return total;
}

}  // namespace memsizer
