#pragma once

#include <string>

#include "core/safetensors.h"
#include "model/model_config.h"

namespace memsizer::testing {

// What a fixture's metadata say; a missing key throws.
const std::string& fixture_meta(const SafetensorsFile& file, const std::string& key);

// The configuration of a fixture that holds a whole model, translator or language model. A flag of the
// reference without a meaning here throws.
ModelConfig golden_config(const SafetensorsFile& file);

}  // namespace memsizer::testing
