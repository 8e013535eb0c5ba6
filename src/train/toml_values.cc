#include "train/toml_values.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/error.h"
#include "core/safetensors.h"

namespace memsizer::train {
namespace {

using nlohmann::json;

// More than any option has.
constexpr int64_t kMostParts = 16;

// Counts the parts of dotted keys without building anything: the parser nests a table per part, and a stack
// does not last for the tables of a hostile text. Values are nested no deeper than the parser itself permits.
class KeyParts {
 public:
  KeyParts(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void check() {
    while (at_ < text_.size()) step();
  }

 private:
  void step() {
    const char next = text_[at_];
    if (next == '"' || next == '\'') return skip_string(next);
    if (next == '#') return skip_to(text_.find('\n', at_));
    ++at_;
    if (next == '\n') ++line_;
    if (next == '.' && ++dots_ == kMostParts) refuse();
    if (next == '\n' || next == '=' || next == ',' || next == '{' || next == '[') dots_ = 0;
  }

  // A text that does not end is left to the parser, which says so.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool long_form = text_.substr(at_).starts_with(three);
    const std::string_view end = long_form ? std::string_view(three) : std::string_view(three).substr(0, 1);
    at_ += end.size();
    while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) {
      if (text_[at_] == '\n' && !long_form) return;
      if (text_[at_] == '\n') ++line_;
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ += end.size();
  }

  void skip_to(size_t place) { at_ = std::min(place, text_.size()); }

  [[noreturn]] void refuse() const {
    throw UserError("{}:{}: found a key of more than {} parts, expected one such as model.decoder.layers",
                    name_, line_, kMostParts);
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t dots_ = 0;
};

toml::table parse(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw UserError("{}:{}: not TOML: {}", name, error.source().begin.line,
                    printable_name(error.description(), 300));
  }
}

class Collector {
 public:
  Collector(const std::string& name, std::vector<TomlValue>& values) : name_(name), values_(values) {}

  void collect(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string path =
          prefix.empty() ? std::string(key.str()) : fmt::format("{}.{}", prefix, key.str());
      if (const toml::table* section = node.as_table()) {
        collect(*section, path);
      } else {
        values_.push_back({path, value_of(node, path), line_of(node)});
      }
    }
  }

 private:
  static int64_t line_of(const toml::node& node) { return static_cast<int64_t>(node.source().begin.line); }

  json value_of(const toml::node& node, const std::string& path) const {
    if (const auto* table = node.as_table()) {
      json object = json::object();
      for (const auto& [key, member] : *table) object[std::string(key.str())] = value_of(member, path);
      return object;
    }
    if (const auto* array = node.as_array()) {
      json list = json::array();
      for (const toml::node& item : *array) list.push_back(value_of(item, path));
      return list;
    }
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    throw UserError("{}:{}: {} is a date or time; a recipe holds texts, numbers, true or false, and lists",
                    name_, line_of(node), printable_name(path));
  }

  const std::string& name_;
  std::vector<TomlValue>& values_;
};

}  // namespace

std::vector<TomlValue> toml_values(std::string_view text, const std::string& name) {
  KeyParts(text, name).check();
  std::vector<TomlValue> values;
  Collector(name, values).collect(parse(text, name), "");
  return values;
}

}  // namespace memsizer::train
