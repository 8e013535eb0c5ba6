#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/description.h"

// The mechanisms of this program. Options name them; code outside of their folders asks their descriptions.
namespace memsizer {

std::span<const Mechanism> mechanisms();

// Throws UserError, naming the known ones, if there is none of that name.
Mechanism mechanism_named(std::string_view name);

// Adds one to those of list.inc. To be called before the first configuration is made: by a program's static
// initialisers, as the tests do.
void add_mechanism(const MechanismDescription& description);

// Throws UserError, naming the alternatives, if the mechanism cannot be used in that position.
void require_position(Mechanism mechanism, Position position);

template <>
struct OptionCodec<Mechanism> {
  static constexpr bool kText = true;
  static constexpr bool kList = false;
  static std::string expects();
  static nlohmann::json to_json(const Mechanism& value) { return value.name(); }
  static bool from_json(const nlohmann::json& json, Mechanism& value);
};

}  // namespace memsizer
