#include "mechanisms/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/names.h"

namespace memsizer {

#define MEMSIZER_MECHANISM(name) const MechanismDescription& name##_description();
#include "mechanisms/list.inc"
#undef MEMSIZER_MECHANISM

namespace {

std::vector<Mechanism>& table() {
  static std::vector<Mechanism> all = {
#define MEMSIZER_MECHANISM(name) Mechanism(name##_description()),
#include "mechanisms/list.inc"
#undef MEMSIZER_MECHANISM
  };
  return all;
}

const Mechanism* find(std::string_view name) {
  for (const Mechanism& mechanism : table()) {
    if (mechanism.name() == name) return &mechanism;
  }
  return nullptr;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Mechanism& mechanism : table()) all.emplace_back(mechanism.name());
  return all;
}

}  // namespace

std::span<const Mechanism> mechanisms() {
  return table();
}

Mechanism mechanism_named(std::string_view name) {
  if (const Mechanism* found = find(name)) return *found;
  const std::vector<std::string> known = names();
  throw UserError("mechanism '{}' is not known{}; known are {}", name, did_you_mean(name, known),
                  fmt::join(known, ", "));
}

void add_mechanism(const MechanismDescription& description) {
  table().emplace_back(description);
}

OptionSections mechanism_options() {
  OptionSections sections;
  for (const Mechanism& mechanism : table()) {
    if (auto section = mechanism->options()) sections.add(std::move(section));
  }
  return sections;
}

void require_position(Mechanism mechanism, Position position) {
  if (mechanism.traits().supports(position)) return;
  std::vector<std::string_view> able;
  for (const Mechanism& other : table()) {
    if (other.traits().supports(position)) able.push_back(other.name());
  }
  throw UserError("{} cannot be used as {}: {}; use one of {}", mechanism.name(), position_name(position),
                  mechanism.traits().note, fmt::join(able, ", "));
}

std::string OptionCodec<Mechanism>::expects() {
  return options_detail::one_of(names());
}

bool OptionCodec<Mechanism>::from_json(const nlohmann::json& json, Mechanism& value) {
  if (!json.is_string()) return false;
  const Mechanism* found = find(json.get_ref<const std::string&>());
  if (found) value = *found;
  return found != nullptr;
}

}  // namespace memsizer
