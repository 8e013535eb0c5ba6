#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace memsizer::train {

// One value of a TOML text.
struct TomlValue {
  std::string path;  // "model.decoder.layers"
  nlohmann::json value;
  int64_t line = 0;
};

// All values of a TOML text. One that is not TOML, has dates, or is nested deeper than any recipe is a
// UserError, which opens with `name` and the line.
std::vector<TomlValue> toml_values(std::string_view text, const std::string& name);

}  // namespace memsizer::train
