#pragma once

#include <cstdint>
#include <string_view>

#include "core/per_layer.h"

namespace memsizer {

// The place of a mixer in a model. Cross reads the encoder's output from the decoder.
enum class Position { EncoderSelf, CausalSelf, Cross };

inline constexpr Position kPositions[] = {Position::EncoderSelf, Position::CausalSelf, Position::Cross};

// "causal self-attention": as messages name it.
std::string_view position_name(Position position);

// "encoder", "causal", "cross": as options name it.
std::string_view position_key(Position position);

// Whether an option is of another position alone, as "cross_read" is in the encoder.
bool is_of_another_position(std::string_view option, Position position);

// A setting that may differ between the three positions.
template <typename T>
struct ByPosition {
  T causal{};
  T cross{};
  T encoder{};

  const T& at(Position position) const {
    return position == Position::CausalSelf ? causal : position == Position::Cross ? cross : encoder;
  }
};

// A width for each of the three positions, in each layer.
struct Widths {
  PerLayer<int64_t> causal = 4;
  PerLayer<int64_t> cross = 32;
  PerLayer<int64_t> encoder = 32;

  int64_t at(Position position, int64_t layer) const;
};

}  // namespace memsizer
