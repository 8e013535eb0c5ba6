#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/model_config.h"

namespace memsizer {

struct Preset {
  std::string_view name;
  std::string_view summary;
};

std::span<const Preset> presets();

// The configuration of a named shape, with the paper's MemSizer decoder. Throws UserError on an unknown name.
ModelConfig preset_config(std::string_view name);

}  // namespace memsizer
