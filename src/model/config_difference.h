#pragma once

#include <optional>
#include <string>

#include "model/model_config.h"

namespace memsizer {

// An option of two models that is not the same, with both values as JSON.
struct ConfigDifference {
  std::string option;  // "model.dim"
  std::string theirs;
  std::string ours;
};

// The first one, in the order of the options; nothing if the configurations are equal.
std::optional<ConfigDifference> first_difference(ModelConfig theirs, ModelConfig ours);

// The same without what may differ between a trained model and one that starts from its weights: mixers with
// their heads and options, and what is used in training alone.
std::optional<ConfigDifference> architecture_difference(ModelConfig theirs, const ModelConfig& ours);

}  // namespace memsizer
