#pragma once

#include <cstdint>
#include <vector>

#include "model/model_config.h"

namespace memsizer {

// Bytes of generation state for one sequence, in float32: a constant part, and what grows with each target
// token and each source token (zero for every recurrent mechanism).
struct StateSize {
  int64_t constant_bytes = 0;
  int64_t bytes_per_target_token = 0;
  int64_t bytes_per_source_token = 0;

  int64_t at(int64_t target_tokens, int64_t source_tokens) const {
    return constant_bytes + bytes_per_target_token * target_tokens + bytes_per_source_token * source_tokens;
  }
  StateSize& operator+=(const StateSize& other);
  bool operator==(const StateSize&) const = default;
};

// The sum of the mixer's fields.
StateSize mixer_state_size(const MixerConfig& config);

// Of each decoder layer, self-attention and cross-attention together.
std::vector<StateSize> layer_state_sizes(const ModelConfig& config);

// Of the whole decoder.
StateSize decoder_state_size(const ModelConfig& config);

}  // namespace memsizer
