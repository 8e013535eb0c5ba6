#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/state_field.h"
#include "model/model_config.h"

namespace memsizer {

// What a decoder layer keeps of a sequence while generating: self-attention of what was generated,
// cross-attention of the source. The one list that sizes, states in memory and saved states follow, in this
// order; padding in memory is not part of it.
struct LayerFields {
  std::vector<StateField> self;
  std::vector<StateField> cross;  // empty in a language model
};

// One entry per layer of the decoder, as the mechanisms' descriptions list them.
std::vector<LayerFields> decoder_fields(const ModelConfig& config);

// Bytes of generation state for one sequence: a constant part, and what grows with each target token and each
// source token (zero for every recurrent mechanism).
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

StateSize state_size(std::span<const StateField> fields);
StateSize mixer_state_size(const MixerConfig& config);

struct LayerStateSize {
  StateSize self;
  StateSize cross;

  StateSize total() const;
};

// One entry per layer of the decoder.
std::vector<LayerStateSize> layer_state_sizes(const ModelConfig& config);

// Of the whole decoder.
StateSize decoder_state_size(const ModelConfig& config);

}  // namespace memsizer
