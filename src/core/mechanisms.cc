#include "core/mechanisms.h"

#include <array>
#include <stdexcept>

#include "core/error.h"

namespace memsizer {
namespace {

constexpr std::string_view kLinformerNote = "each compressed slot mixes all positions, past and future";
constexpr std::string_view kSynthesizerNote = "its weights are made for one sequence of a preset length";

constexpr std::array kTable = {
    // mechanism, name, encoder, causal, cross, linear, recurrent, length-agnostic, note
    MechanismTraits{Mechanism::Memsizer, "memsizer", true, true, true, true, true, true, ""},
    MechanismTraits{Mechanism::Softmax, "softmax", true, true, true, false, false, true,
                    "its cache grows with every token"},
    MechanismTraits{Mechanism::Elu, "elu", true, true, true, true, true, true, ""},
    MechanismTraits{Mechanism::Rfa, "rfa", true, true, true, true, true, true, ""},
    MechanismTraits{Mechanism::T2r, "t2r", true, true, true, true, true, true, ""},
    MechanismTraits{Mechanism::Performer, "performer", true, true, true, true, true, true, ""},
    MechanismTraits{Mechanism::Linformer, "linformer", true, false, false, true, false, false,
                    kLinformerNote},
    MechanismTraits{Mechanism::SynthesizerRandom, "synthesizer-random", true, true, false, false, false,
                    false, kSynthesizerNote},
    MechanismTraits{Mechanism::SynthesizerDense, "synthesizer-dense", true, true, false, false, false, false,
                    kSynthesizerNote},
    MechanismTraits{Mechanism::Ssru, "ssru", false, true, false, true, true, true,
                    "it is a recurrence over one sequence, from left to right"},
};

}  // namespace

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

bool MechanismTraits::supports(Position position) const {
  switch (position) {
    case Position::EncoderSelf:
      return encoder_self;
    case Position::CausalSelf:
      return causal_self;
    case Position::Cross:
      return cross;
  }
  throw std::logic_error("unknown position");
}

std::span<const MechanismTraits> mechanism_table() {
  return kTable;
}

const MechanismTraits& traits(Mechanism mechanism) {
  for (const MechanismTraits& row : kTable) {
    if (row.mechanism == mechanism) return row;
  }
  throw std::logic_error("mechanism without a row in the table");
}

std::string_view mechanism_name(Mechanism mechanism) {
  return traits(mechanism).name;
}

void require_position(Mechanism mechanism, Position position) {
  const MechanismTraits& row = traits(mechanism);
  if (row.supports(position)) return;
  std::string able;
  for (const MechanismTraits& other : kTable) {
    if (other.supports(position)) able += (able.empty() ? "" : ", ") + std::string(other.name);
  }
  throw UserError("{} cannot be used as {}: {}; use one of {}", row.name, position_name(position), row.note,
                  able);
}

}  // namespace memsizer
