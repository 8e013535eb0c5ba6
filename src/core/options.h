#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/names.h"
#include "core/per_layer.h"

// Options are declared once: a struct lists its fields, with a line of help each, in a static template
// `fields`. Reading and writing JSON, setting by dotted path, listing and help are all made from that list.
//
//   struct BeamOptions {
//     int64_t size = 5;
//     template <typename Self, typename Visitor>
//     static void fields(Self& self, Visitor&& visit) {
//       visit("size", self.size, "hypotheses kept per sentence");
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
  bool text = false;    // takes bare text: strings or names
  bool list = false;    // takes a list of its kind of value
  std::function<nlohmann::json()> get;
  std::function<bool(const nlohmann::json&)> set;  // false: the value is of the wrong type
  // Whether model files leave it out: it is younger than their format, and has its default value.
  std::function<bool()> left_out = [] { return false; };
};

// How values of a type appear in JSON and in messages. Specialise it to make a type usable as an option:
//   static std::string expects();                       "an integer"
//   static constexpr bool kText, kList;                 as in OptionRef
//   static nlohmann::json to_json(const T& value);
//   static bool from_json(const nlohmann::json& json, T& value);   false: of the wrong type
template <typename T>
struct OptionCodec;

namespace options_detail {

template <typename T>
concept Section = requires(T& t) {
  T::fields(t, [](auto&&...) {});
};

// Options that are known only when the program runs (core/option_sections.h).
template <typename T>
concept Collection = requires(T& t, std::vector<OptionRef>& into) {
  t.collect(std::string(), into);
};

std::string one_of(std::span<const std::string> names);

template <typename T>
struct PlainCodec {
  static constexpr bool kText = false;
  static constexpr bool kList = false;
  static nlohmann::json to_json(const T& value) { return value; }
};

// A list of values of a plain type.
template <typename T>
struct ListCodec {
  static constexpr bool kText = OptionCodec<T>::kText;
  static constexpr bool kList = true;
  static nlohmann::json to_json(const std::vector<T>& values) {
    nlohmann::json list = nlohmann::json::array();
    for (const T& value : values) list.push_back(OptionCodec<T>::to_json(value));
    return list;
  }
  static bool from_json(const nlohmann::json& json, std::vector<T>& values) {
    if (!json.is_array()) return false;
    std::vector<T> read;
    for (const auto& item : json) {
      T value{};
      if (!OptionCodec<T>::from_json(item, value)) return false;
      read.push_back(std::move(value));
    }
    values = std::move(read);
    return true;
  }
};

}  // namespace options_detail

template <>
struct OptionCodec<int64_t> : options_detail::PlainCodec<int64_t> {
  static std::string expects() { return "an integer"; }
  static bool from_json(const nlohmann::json& json, int64_t& value) {
    if (!json.is_number_integer()) return false;
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (json.is_number_unsigned() && json.get<uint64_t>() > kMost) return false;
    value = json.get<int64_t>();
    return true;
  }
};

template <>
struct OptionCodec<double> : options_detail::PlainCodec<double> {
  static std::string expects() { return "a finite number"; }
  static bool from_json(const nlohmann::json& json, double& value) {
    if (!json.is_number() || !std::isfinite(json.get<double>())) return false;
    value = json.get<double>();
    return true;
  }
};

template <>
struct OptionCodec<bool> : options_detail::PlainCodec<bool> {
  static std::string expects() { return "true or false"; }
  static bool from_json(const nlohmann::json& json, bool& value) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  }
};

template <>
struct OptionCodec<std::string> : options_detail::PlainCodec<std::string> {
  static constexpr bool kText = true;
  static std::string expects() { return "text"; }
  static bool from_json(const nlohmann::json& json, std::string& value) {
    if (!json.is_string()) return false;
    value = json.get<std::string>();
    return true;
  }
};

template <>
struct OptionCodec<std::vector<int64_t>> : options_detail::ListCodec<int64_t> {
  static std::string expects() { return "a list of integers such as [20000, 60000]"; }
};

template <>
struct OptionCodec<std::vector<std::string>> : options_detail::ListCodec<std::string> {
  static std::string expects() { return "a list of texts such as [\"train.en\", \"train.de\"]"; }
};

template <typename Enum>
requires std::is_enum_v<Enum>
struct OptionCodec<Enum> {
  static constexpr bool kText = true;
  static constexpr bool kList = false;
  static std::string expects() {
    std::vector<std::string> names;
    for (const auto& [value, name] : enum_names<Enum>()) names.emplace_back(name);
    return options_detail::one_of(names);
  }
  static nlohmann::json to_json(const Enum& field) {
    for (const auto& [value, name] : enum_names<Enum>()) {
      if (value == field) return name;
    }
    return nullptr;
  }
  static bool from_json(const nlohmann::json& json, Enum& field) {
    if (!json.is_string()) return false;
    for (const auto& [value, name] : enum_names<Enum>()) {
      if (json.get_ref<const std::string&>() != name) continue;
      field = value;
      return true;
    }
    return false;
  }
};

// One value, or a list of them.
template <typename T>
struct OptionCodec<PerLayer<T>> {
  static constexpr bool kText = OptionCodec<T>::kText;
  static constexpr bool kList = true;
  static std::string expects() {
    return OptionCodec<T>::expects() + ", or a list of such values that repeats over the layers";
  }
  static nlohmann::json to_json(const PerLayer<T>& field) {
    if (field.values().size() == 1) return OptionCodec<T>::to_json(field.at(0));
    nlohmann::json list = nlohmann::json::array();
    for (const T& value : field.values()) list.push_back(OptionCodec<T>::to_json(value));
    return list;
  }
  static bool from_json(const nlohmann::json& json, PerLayer<T>& field) {
    const nlohmann::json list = json.is_array() ? json : nlohmann::json::array({json});
    if (list.empty() || list.size() > kMostValues) return false;
    std::vector<T> values;
    for (const auto& item : list) {
      T value = field.at(0);
      if (!OptionCodec<T>::from_json(item, value)) return false;
      values.push_back(std::move(value));
    }
    field = PerLayer<T>(std::move(values));
    return true;
  }

 private:
  static constexpr size_t kMostValues = 4096;  // no stack has more layers
};

namespace options_detail {

template <typename T>
OptionRef bind_leaf(const std::string& path, std::string_view help, T& field) {
  return {.path = path,
          .help = std::string(help),
          .expects = OptionCodec<T>::expects(),
          .text = OptionCodec<T>::kText,
          .list = OptionCodec<T>::kList,
          .get = [&field] { return OptionCodec<T>::to_json(field); },
          .set = [&field](const nlohmann::json& value) { return OptionCodec<T>::from_json(value, field); }};
}

template <typename T>
void collect(T& section, const std::string& prefix, std::vector<OptionRef>& into) {
  T::fields(section, [&](std::string_view name, auto& field, std::string_view help) {
    using Field = std::remove_reference_t<decltype(field)>;
    const std::string path = prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
    if constexpr (Collection<Field>) {
      field.collect(prefix, into);  // its sections are members of this one
    } else if constexpr (Section<Field>) {
      collect(field, path, into);
    } else {
      into.push_back(bind_leaf(path, help, field));
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

// The option of that path, or null.
const OptionRef* find_option(std::span<const OptionRef> options, std::string_view path);

// Sets one option from text such as a command line gives; throws UserError on an unknown path or a bad value.
void set_option(std::span<const OptionRef> options, std::string_view path, std::string_view text);

// The same from a value.
void set_option_value(std::span<const OptionRef> options, std::string_view path, const nlohmann::json& value);

// Splits "path=value" and sets it.
void set_option_assignment(std::span<const OptionRef> options, std::string_view assignment);

// The options as nested JSON objects, and back. Keys that do not exist are refused.
nlohmann::json options_to_json(std::span<const OptionRef> options);
void options_from_json(std::span<const OptionRef> options, const nlohmann::json& json);

}  // namespace memsizer
