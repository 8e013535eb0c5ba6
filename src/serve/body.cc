#include "serve/body.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/names.h"
#include "core/utf8.h"

namespace memsizer::serve {
namespace {

using nlohmann::json;

constexpr int kDeepest = 16;
// Each takes some dozens of bytes, whatever it takes in the text.
constexpr int64_t kMostValues = 1 << 18;
constexpr size_t kShownBytes = 60;

std::string shown(const json& value) {
  const std::string text = dump_json(value);
  if (text.size() <= kShownBytes) return text;
  return std::string(whole_characters(text, kShownBytes)) + "...";
}

template <typename Number>
bool parse_number(const json& text, Number& value) {
  const auto& digits = text.get_ref<const std::string&>();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size();
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string form_text(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      decoded += ' ';
    } else if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) throw HttpError(400, "the form has a '%' without two hexadecimal digits");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  if (!valid_utf8(decoded)) throw HttpError(400, "the form is not UTF-8; encode its texts as UTF-8");
  return decoded;
}

bool is_token_list(const json& value) {
  return value.is_array() && !value.empty() && value.front().is_number_integer();
}

}  // namespace

json parse_json(std::string_view text) {
  int64_t values = 0;
  const auto count = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest)
      throw HttpError(400, fmt::format("the JSON is nested deeper than {} levels; send it flat", kDeepest));
    if (++values > kMostValues)
      throw HttpError(400, fmt::format("the JSON has more than {} values; send less at once", kMostValues));
    return true;
  };
  try {
    return json::parse(text, count);
  } catch (const json::exception& error) {
    // The library's message has its own number in front and text of the body behind.
    std::string message = error.what();
    message = message.substr(message.find("] ") == std::string::npos ? 0 : message.find("] ") + 2);
    throw HttpError(400,
                    fmt::format("the body is no JSON: {}", message.substr(0, message.find("; last read"))));
  }
}

json parse_form(std::string_view text) {
  json form = json::object();
  int64_t values = 0;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    if (++values > kMostValues) throw HttpError(400, "the form has too many fields; send less at once");
    const size_t equals = pair.find('=');
    const std::string name = form_text(pair.substr(0, equals));
    const std::string value = equals == std::string_view::npos ? "" : form_text(pair.substr(equals + 1));
    if (!form.contains(name)) {
      form[name] = value;
      continue;
    }
    json& there = form[name];
    if (!there.is_array()) there = json::array({there});
    there.push_back(value);
  }
  return form;
}

void FieldReader::refuse(const json& found, const std::string& expected) const {
  throw HttpError(400, fmt::format("'{}' is {}; it must be {}", name, shown(found), expected), name);
}

void FieldReader::read(const json& json, std::string& value) const {
  if (!json.is_string()) refuse(json, "text");
  value = json.get<std::string>();
}

void FieldReader::read(const json& json, int64_t& value) const {
  const bool fits =
      source == Source::Form
          ? json.is_string() && parse_number(json, value)
          : json.is_number_integer() || (json.is_number_float() && std::abs(json.get<double>()) < 1e15 &&
                                         std::trunc(json.get<double>()) == json.get<double>());
  if (!fits) refuse(json, "an integer");
  if (source == Source::Json) {
    if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      refuse(json, "an integer of 64 bits");
    value = json.get<int64_t>();
  }
  if (static_cast<double>(value) < limits.low || static_cast<double>(value) > limits.high)
    refuse(json, fmt::format("from {} to {}", limits.low, limits.high));
}

void FieldReader::read(const json& json, double& value) const {
  const bool fits = source == Source::Form ? json.is_string() && parse_number(json, value) : json.is_number();
  if (!fits) refuse(json, "a number");
  if (source == Source::Json) value = json.get<double>();
  if (!(value >= limits.low && value <= limits.high) || !std::isfinite(value))
    refuse(json, fmt::format("a number from {} to {}", limits.low, limits.high));
}

void FieldReader::read(const json& json, bool& value) const {
  if (source == Source::Form && (json == "true" || json == "false")) {
    value = json == "true";
    return;
  }
  if (!json.is_boolean()) refuse(json, "true or false");
  value = json.get<bool>();
}

void FieldReader::read(const json& json, Texts& value) const {
  value.list = json.is_array();
  value.items.clear();
  if (!value.list && !json.is_string()) refuse(json, "text or a list of texts");
  if (value.list && json.size() > limits.most)
    throw HttpError(400, fmt::format("'{}' has {} texts; send at most {}", name, json.size(), limits.most),
                    name);
  const auto add = [&](const nlohmann::json& item) {
    if (!item.is_string()) refuse(item, "text or a list of texts");
    value.items.push_back(item.get<std::string>());
  };
  if (value.list) {
    for (const auto& item : json) add(item);
  } else {
    add(json);
  }
}

void FieldReader::read(const json& json, Prompts& value) const {
  const auto add = [&](const nlohmann::json& item) {
    if (item.is_string()) {
      value.items.emplace_back(item.get<std::string>());
      return;
    }
    std::vector<int32_t> tokens;
    for (const auto& token : item) {
      if (!token.is_number_integer() || token.get<double>() < 0 || token.get<double>() > INT32_MAX)
        refuse(token, "text, tokens (numbers from 0 on), or a list of either");
      tokens.push_back(token.get<int32_t>());
    }
    value.items.emplace_back(std::move(tokens));
  };
  value.items.clear();
  if (json.is_string() || is_token_list(json)) {
    add(json);
  } else if (json.is_array() && !json.empty()) {
    if (json.size() > limits.most)
      throw HttpError(400, fmt::format("'{}' has {} texts; send at most {}", name, json.size(), limits.most),
                      name);
    for (const auto& item : json) {
      if (!item.is_string() && !is_token_list(item)) refuse(item, "text, tokens, or a list of either");
      add(item);
    }
  } else {
    refuse(json, "text, tokens, or a list of either");
  }
}

json FieldSchema::number(const char* type) const {
  json schema = {{"type", type}};
  if (std::isfinite(limits.low)) schema["minimum"] = limits.low;
  if (std::isfinite(limits.high)) schema["maximum"] = limits.high;
  if (std::string_view(type) == "integer") {
    for (const char* bound : {"minimum", "maximum"}) {
      if (schema.contains(bound)) schema[bound] = static_cast<int64_t>(schema[bound].get<double>());
    }
  }
  return schema;
}

json FieldSchema::of(const Texts&) const {
  json list = {{"type", "array"}, {"items", {{"type", "string"}}}};
  if (limits.most != std::numeric_limits<size_t>::max()) list["maxItems"] = limits.most;
  return {{"oneOf", json::array({{{"type", "string"}}, list})}};
}

json FieldSchema::of(const Prompts&) const {
  const json text = {{"type", "string"}};
  const json tokens = {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 0}}}, {"minItems", 1}};
  json list = {{"type", "array"}, {"items", {{"oneOf", json::array({text, tokens})}}}, {"minItems", 1}};
  if (limits.most != std::numeric_limits<size_t>::max()) list["maxItems"] = limits.most;
  return {{"anyOf", json::array({text, tokens, list})}};
}

void body_detail::require_known(const json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw HttpError(400,
                    fmt::format("{} is no field of this request{}; see /openapi.json", shown(key),
                                did_you_mean(key, known)),
                    std::string(whole_characters(key, kShownBytes)));
  }
}

}  // namespace memsizer::serve
