#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/names.h"

// Options are declared once: a struct lists its fields, with a line of help each, in a static template
// `fields`. Reading and writing JSON, setting by dotted path, listing and help are all made from that list.
//
//   struct BeamOptions {
//     int64_t size = 5;
//     template <typename Self, typename Visitor>
//     static void fields(Self& self, Visitor&& visit) {
//       visit("size", self.size, "hypotheses kept a sentence");
//     }
//   };

namespace memsizer {

// Specialise as a span of {value, name} pairs to make an enum usable as an option.
template <typename Enum>
std::span<const std::pair<Enum, std::string_view>> enum_names() = delete;

// One option of a configuration, bound to the object it was collected from.
struct OptionRef {
  std::string path;
  std::string help;
  std::string expects;  // "an integer", "one of a, b, c"
  bool text = false;    // takes bare text: a string or an enum
  std::function<nlohmann::json()> get;
  std::function<bool(const nlohmann::json&)> set;  // false: the value is of the wrong type
};

namespace options_detail {

template <typename T>
concept Section = requires(T& t) {
  T::fields(t, [](auto&&...) {});
};

std::string one_of(std::span<const std::string> names);

inline OptionRef bind_leaf(int64_t& field) {
  return {.path = {},
          .help = {},
          .expects = "an integer",
          .get = [&] { return field; },
          .set =
              [&](const nlohmann::json& value) {
                if (!value.is_number_integer()) return false;
                field = value.get<int64_t>();
                return true;
              }};
}

inline OptionRef bind_leaf(double& field) {
  return {.path = {},
          .help = {},
          .expects = "a number",
          .get = [&] { return field; },
          .set =
              [&](const nlohmann::json& value) {
                if (!value.is_number()) return false;
                field = value.get<double>();
                return true;
              }};
}

inline OptionRef bind_leaf(bool& field) {
  return {.path = {},
          .help = {},
          .expects = "true or false",
          .get = [&] { return field; },
          .set =
              [&](const nlohmann::json& value) {
                if (!value.is_boolean()) return false;
                field = value.get<bool>();
                return true;
              }};
}

inline OptionRef bind_leaf(std::vector<int64_t>& field) {
  return {.path = {},
          .help = {},
          .expects = "a list of integers such as [20000, 60000]",
          .get = [&] { return field; },
          .set =
              [&](const nlohmann::json& value) {
                if (!value.is_array()) return false;
                for (const auto& item : value) {
                  if (!item.is_number_integer()) return false;
                }
                field = value.get<std::vector<int64_t>>();
                return true;
              }};
}

inline OptionRef bind_leaf(std::string& field) {
  return {.path = {},
          .help = {},
          .expects = "text",
          .text = true,
          .get = [&] { return field; },
          .set =
              [&](const nlohmann::json& value) {
                if (!value.is_string()) return false;
                field = value.get<std::string>();
                return true;
              }};
}

inline OptionRef bind_leaf(std::vector<std::string>& field) {
  return {.path = {},
          .help = {},
          .expects = "a list of texts such as [\"train.en\", \"train.de\"]",
          .get = [&] { return field; },
          .set =
              [&](const nlohmann::json& value) {
                if (!value.is_array()) return false;
                for (const auto& item : value) {
                  if (!item.is_string()) return false;
                }
                field = value.get<std::vector<std::string>>();
                return true;
              }};
}

template <typename Enum>
requires std::is_enum_v<Enum> OptionRef bind_leaf(Enum& field) {
  std::vector<std::string> names;
  for (const auto& [value, name] : enum_names<Enum>()) names.emplace_back(name);
  return {.path = {},
          .help = {},
          .expects = one_of(names),
          .text = true,
          .get =
              [&] {
                for (const auto& [value, name] : enum_names<Enum>()) {
                  if (value == field) return nlohmann::json(name);
                }
                return nlohmann::json(nullptr);
              },
          .set =
              [&](const nlohmann::json& given) {
                if (!given.is_string()) return false;
                for (const auto& [value, name] : enum_names<Enum>()) {
                  if (given.get<std::string>() != name) continue;
                  field = value;
                  return true;
                }
                return false;
              }};
}

template <typename T>
void collect(T& section, const std::string& prefix, std::vector<OptionRef>& into) {
  T::fields(section, [&](std::string_view name, auto& field, std::string_view help) {
    const std::string path = prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
    if constexpr (Section<std::remove_reference_t<decltype(field)>>) {
      collect(field, path, into);
    } else {
      OptionRef option = bind_leaf(field);
      option.path = path;
      option.help = help;
      into.push_back(std::move(option));
    }
  });
}

}  // namespace options_detail

// All options of `config`, paths starting with `prefix`. The references live as long as `config` does.
template <typename Config>
std::vector<OptionRef> collect_options(Config& config, const std::string& prefix) {
  std::vector<OptionRef> options;
  options_detail::collect(config, prefix, options);
  return options;
}

// Sets one option from text such as a command line gives; throws UserError on an unknown path or a bad value.
void set_option(std::span<const OptionRef> options, std::string_view path, std::string_view text);

// Splits "path=value" and sets it.
void set_option_assignment(std::span<const OptionRef> options, std::string_view assignment);

// The options as nested JSON objects, and back. Keys that do not exist are refused.
nlohmann::json options_to_json(std::span<const OptionRef> options);
void options_from_json(std::span<const OptionRef> options, const nlohmann::json& json);

}  // namespace memsizer
