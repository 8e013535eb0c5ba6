#include "mechanisms/position.h"

#include <stdexcept>

namespace memsizer {

std::string_view position_name(Position position) {
  switch (position) {
    case Position::EncoderSelf:
      return "encoder self-attention";
    case Position::CausalSelf:
      return "causal self-attention";
    case Position::Cross:
      return "cross-attention";
  }
  throw std::logic_error("unknown position");
}

std::string_view position_key(Position position) {
  switch (position) {
    case Position::EncoderSelf:
      return "encoder";
    case Position::CausalSelf:
      return "causal";
    case Position::Cross:
      return "cross";
  }
  throw std::logic_error("unknown position");
}

bool is_of_another_position(std::string_view option, Position position) {
  for (const Position other : kPositions) {
    const std::string_view key = position_key(other);
    if (other != position && option.starts_with(key) && option.substr(key.size()).starts_with('_'))
      return true;
  }
  return false;
}

int64_t Widths::at(Position position, int64_t layer) const {
  switch (position) {
    case Position::EncoderSelf:
      return encoder.at(layer);
    case Position::CausalSelf:
      return causal.at(layer);
    case Position::Cross:
      return cross.at(layer);
  }
  throw std::logic_error("unknown position");
}

}  // namespace memsizer
