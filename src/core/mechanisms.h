#pragma once

#include <span>
#include <string>
#include <string_view>

namespace memsizer {

// The mechanisms ("mixers") that can stand where a transformer has attention.
enum class Mechanism {
  Memsizer,
  Softmax,
  Elu,
  Rfa,
  T2r,
  Performer,
  Linformer,
  SynthesizerRandom,
  SynthesizerDense,
  Ssru,
};

// Where a mixer stands. Cross reads the encoder's output from the decoder.
enum class Position { EncoderSelf, CausalSelf, Cross };

std::string_view position_name(Position position);

// One row of the paper's appendix table, with the positions added.
struct MechanismTraits {
  Mechanism mechanism;
  std::string_view name;
  bool encoder_self;
  bool causal_self;
  bool cross;
  bool linear;            // time linear in the sequence lengths
  bool recurrent;         // generates with a state of constant size
  bool length_agnostic;   // no maximum length is built into the parameters
  std::string_view note;  // why a position or property is missing

  bool supports(Position position) const;
};

// The one table of what each mechanism can do.
std::span<const MechanismTraits> mechanism_table();

const MechanismTraits& traits(Mechanism mechanism);

std::string_view mechanism_name(Mechanism mechanism);

// Throws UserError, naming the alternatives, if the mechanism cannot stand in that position.
void require_position(Mechanism mechanism, Position position);

}  // namespace memsizer
