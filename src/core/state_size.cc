#include "core/state_size.h"

#include <stdexcept>

namespace memsizer {
namespace {

constexpr int64_t kFloatBytes = 4;

StateSize constant_floats(int64_t floats) {
  return {.constant_bytes = kFloatBytes * floats};
}

// A linear kernel keeps, for each head, `features` rows of values and their normaliser.
StateSize kernel_state(const MixerConfig& config, int64_t features) {
  return constant_floats(features * config.dim + features * config.heads);
}

StateSize memsizer_state(const MixerConfig& config) {
  int64_t floats = config.memsizer.slots.at(config.position) * config.dim;
  if (config.memsizer.keys == MemsizerKeys::Input) floats *= 1 + config.memsizer_heads();
  const int64_t counter = config.position == Position::CausalSelf ? 1 : 0;
  return constant_floats(floats + counter);
}

StateSize growing_floats(const MixerConfig& config, int64_t floats_per_token) {
  const int64_t bytes = kFloatBytes * floats_per_token;
  if (config.position == Position::CausalSelf) return {.bytes_per_target_token = bytes};
  return {.bytes_per_source_token = bytes};
}

}  // namespace

StateSize& StateSize::operator+=(const StateSize& other) {
  constant_bytes += other.constant_bytes;
  bytes_per_target_token += other.bytes_per_target_token;
  bytes_per_source_token += other.bytes_per_source_token;
  return *this;
}

StateSize mixer_state_size(const MixerConfig& config) {
  config.validate();
  switch (config.mechanism) {
    case Mechanism::Memsizer:
      return memsizer_state(config);
    case Mechanism::Softmax:
      return growing_floats(config, 2 * config.dim);
    case Mechanism::Elu:
      return kernel_state(config, config.head_dim());
    case Mechanism::Rfa:
      return kernel_state(config, 2 * config.rfa.features.at(config.position));
    case Mechanism::T2r:
      return kernel_state(config, config.t2r.features.at(config.position));
    case Mechanism::Performer:
      return kernel_state(config, config.performer.features.at(config.position));
    case Mechanism::SynthesizerRandom:
    case Mechanism::SynthesizerDense:
      return growing_floats(config, config.dim);
    case Mechanism::Ssru:
      return constant_floats(config.dim);
    case Mechanism::Linformer:
      return {};
  }
  throw std::logic_error("mechanism without a state size");
}

StateSize decoder_state_size(const ModelConfig& config) {
  StateSize layer = mixer_state_size(mixer_config(config, Position::CausalSelf));
  if (config.has_encoder()) layer += mixer_state_size(mixer_config(config, Position::Cross));
  StateSize total;
  for (int64_t i = 0; i < config.decoder.layers; ++i) total += layer;
  return total;
}

}  // namespace memsizer
