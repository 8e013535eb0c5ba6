#pragma once

#include <fmt/ranges.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/names.h"
#include "core/options.h"

// From the values of an enum that is an option to their names, and back.
namespace memsizer {

template <typename Enum>
std::string_view enum_name(Enum value) {
  for (const auto& [known, name] : enum_names<Enum>()) {
    if (known == value) return name;
  }
  throw std::logic_error("a value of an enum has no name");
}

template <typename Enum>
std::optional<Enum> enum_value(std::string_view name) {
  for (const auto& [value, known] : enum_names<Enum>()) {
    if (known == name) return value;
  }
  return std::nullopt;
}

// The value that a user names; `what` it is opens the message where there is none of that name.
template <typename Enum>
Enum named_value(std::string_view what, std::string_view name) {
  if (const auto value = enum_value<Enum>(name)) return *value;
  std::vector<std::string> names;
  for (const auto& [value, known] : enum_names<Enum>()) names.emplace_back(known);
  throw UserError("{} '{}' is not known{}; known are {}", what, name, did_you_mean(name, names),
                  fmt::join(names, ", "));
}

}  // namespace memsizer
