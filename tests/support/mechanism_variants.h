#pragma once

#include <string>
#include <vector>

#include "model/model_config.h"

// What the generic tests iterate over: every registered mechanism with every option that changes it, and
// stacks that mix mechanisms. Nothing here names a mechanism.
namespace memsizer::testing {

// A mechanism with some of its options changed: settings such as "model.memsizer.keys=input".
struct MechanismVariant {
  std::string name;
  Mechanism mechanism;
  std::vector<std::string> settings;
};

// The mechanism as it is by default, with each of its switches and choices changed, and with each pair of
// them changed; without what validate() refuses in that position.
std::vector<MechanismVariant> variants_of(Mechanism mechanism, Position position);

// Those of every mechanism that can be used in the position.
std::vector<MechanismVariant> mechanism_variants(Position position);

// A small model: odd sizes, every width of every mechanism different at each position.
ModelConfig small_model_config();

// The small model with the variant wherever its mechanism can be used and the variant is valid.
ModelConfig with_variant(const MechanismVariant& variant);

// One mixer of the variant, of the small model's sizes.
MixerConfig mixer_of(const MechanismVariant& variant, Position position);

struct NamedConfig {
  std::string name;
  ModelConfig config;
};

// Decoders whose layers differ: neighbours in the list of causal mechanisms alternate, with widths per layer.
std::vector<NamedConfig> mixed_stacks();

}  // namespace memsizer::testing
