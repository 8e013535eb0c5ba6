#include "core/options.h"

#include <algorithm>

#include "core/safetensors.h"

namespace memsizer {
namespace {

const OptionRef& known_option(std::span<const OptionRef> options, std::string_view path) {
  if (const OptionRef* found = find_option(options, path)) return *found;
  std::vector<std::string> paths;
  for (const OptionRef& option : options) paths.push_back(option.path);
  throw UserError("unknown option '{}'{}", printable_name(path), did_you_mean(path, paths));
}

[[noreturn]] void bad_value(const OptionRef& option, std::string_view found) {
  throw UserError("option {} takes {}; found '{}'", option.path, option.expects, printable_name(found));
}

std::string shown(const nlohmann::json& value) {
  // JSON has no words for what is not finite.
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A list may be typed without its brackets: 20000,60000.
nlohmann::json list_from_text(const OptionRef& option, std::string_view text) {
  if (!option.text)
    return nlohmann::json::parse(fmt::format("[{}]", text), nullptr, /*allow_exceptions=*/false);
  nlohmann::json items = nlohmann::json::array();
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    items.push_back(std::string(text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return items;
}

nlohmann::json value_from_text(const OptionRef& option, std::string_view text) {
  if (option.list && !text.starts_with('[')) return list_from_text(option, text);
  if (option.text && !option.list) return std::string(text);
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

void set_all(std::span<const OptionRef> options, const nlohmann::json& json, const std::string& prefix) {
  for (const auto& [key, value] : json.items()) {
    const std::string path = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object()) {
      // Looked up at each level: a file from elsewhere may be nested deeper than the stack can follow.
      const std::string section = path + ".";
      const auto inside = [&](const OptionRef& option) { return option.path.starts_with(section); };
      if (std::ranges::none_of(options, inside)) bad_value(known_option(options, path), "{...}");
      set_all(options, value, path);
      continue;
    }
    set_option_value(options, path, value);
  }
}

}  // namespace

std::string options_detail::one_of(std::span<const std::string> names) {
  return fmt::format("one of {}", fmt::join(names, ", "));
}

const OptionRef* find_option(std::span<const OptionRef> options, std::string_view path) {
  const auto found = std::ranges::find(options, path, &OptionRef::path);
  return found == options.end() ? nullptr : &*found;
}

void set_option(std::span<const OptionRef> options, std::string_view path, std::string_view text) {
  const OptionRef& option = known_option(options, path);
  if (!option.set(value_from_text(option, text))) bad_value(option, text);
}

void set_option_value(std::span<const OptionRef> options, std::string_view path,
                      const nlohmann::json& value) {
  const OptionRef& option = known_option(options, path);
  if (!option.set(value)) bad_value(option, shown(value));
}

void set_option_assignment(std::span<const OptionRef> options, std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw UserError("found '{}' where key=value was expected, such as model.decoder.self=memsizer",
                    assignment);
  }
  set_option(options, assignment.substr(0, equals), assignment.substr(equals + 1));
}

nlohmann::json options_to_json(std::span<const OptionRef> options) {
  nlohmann::json json = nlohmann::json::object();
  for (const OptionRef& option : options) {
    std::string pointer = fmt::format("/{}", option.path);
    std::ranges::replace(pointer, '.', '/');
    json[nlohmann::json::json_pointer(pointer)] = option.get();
  }
  return json;
}

void options_from_json(std::span<const OptionRef> options, const nlohmann::json& json) {
  if (!json.is_object()) throw UserError("configuration is not a JSON object");
  set_all(options, json, "");
}

}  // namespace memsizer
