#pragma once

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "serve/http_error.h"

// Bodies of requests are declared once: a struct lists its fields, with a line of help and its limits each,
// in a static template `fields`. What is accepted and what /openapi.json says are both made from that list.
//
//   struct SummarizeBody {
//     Texts text;
//     int64_t beam = 5;
//     template <typename Self, typename Visitor>
//     static void fields(Self& self, Visitor&& visit) {
//       visit("text", self.text, "documents to summarise", kRequired);
//       visit("beam", self.beam, "hypotheses kept", Limits{.low = 1, .high = 8});
//     }
//   };
namespace memsizer::serve {

// A struct of fields.
template <typename T>
concept Section = requires(T& t) {
  T::fields(t, [](auto&&...) {});
};

struct Limits {
  bool required = false;
  double low = -std::numeric_limits<double>::infinity();  // of a number
  double high = std::numeric_limits<double>::infinity();
  size_t most = std::numeric_limits<size_t>::max();  // items of a list
};
inline constexpr Limits kRequired = {.required = true};

// One text, or a list of them.
struct Texts {
  std::vector<std::string> items;
  bool list = false;
};

// A prompt as OpenAI has it: a text, a list of texts, the tokens of one, or a list of such.
struct Prompts {
  using One = std::variant<std::string, std::vector<int32_t>>;
  std::vector<One> items;
};

// A body as JSON, at most so deep and with so many values that it cannot take more memory than its bytes
// suggest. Throws HttpError.
nlohmann::json parse_json(std::string_view text);
// The fields of a form (application/x-www-form-urlencoded), as texts; one that is repeated is a list.
nlohmann::json parse_form(std::string_view text);

// Where values come from: a form has texts only.
enum class Source { Json, Form };

// Reads one value, or throws HttpError, which names the field.
struct FieldReader {
  const std::string& name;
  const Limits& limits;
  Source source;

  void read(const nlohmann::json& json, std::string& value) const;
  void read(const nlohmann::json& json, int64_t& value) const;
  void read(const nlohmann::json& json, double& value) const;
  void read(const nlohmann::json& json, bool& value) const;
  void read(const nlohmann::json& json, Texts& value) const;
  void read(const nlohmann::json& json, Prompts& value) const;
  template <typename T>
  void read(const nlohmann::json& json, std::optional<T>& value) const {
    read(json, value.emplace());
  }
  template <Section T>
  void read(const nlohmann::json& json, T& value) const;

  [[noreturn]] void refuse(const nlohmann::json& found, const std::string& expected) const;
};

// The schemas of OpenAPI.
struct FieldSchema {
  const Limits& limits;

  nlohmann::json of(const std::string&) const { return {{"type", "string"}}; }
  nlohmann::json of(const int64_t&) const { return number("integer"); }
  nlohmann::json of(const double&) const { return number("number"); }
  nlohmann::json of(const bool&) const { return {{"type", "boolean"}}; }
  nlohmann::json of(const Texts&) const;
  nlohmann::json of(const Prompts&) const;
  template <typename T>
  nlohmann::json of(const std::optional<T>&) const {
    nlohmann::json schema = of(T{});
    schema["nullable"] = true;
    return schema;
  }
  template <Section T>
  nlohmann::json of(const T& value) const;

 private:
  nlohmann::json number(const char* type) const;
};

namespace body_detail {

// Throws HttpError if the object has a key that is none of these.
void require_known(const nlohmann::json& object, const std::vector<std::string>& known);

inline nlohmann::json default_of(const std::string& value) {
  return value;
}
inline nlohmann::json default_of(const int64_t& value) {
  return value;
}
inline nlohmann::json default_of(const double& value) {
  return value;
}
inline nlohmann::json default_of(const bool& value) {
  return value;
}
template <typename T>
nlohmann::json default_of(const T&) {
  return nullptr;
}

}  // namespace body_detail

// Reads a body. Null is as good as nothing; a field that is not known is refused, since it would be ignored.
template <typename Body>
void read_body(const nlohmann::json& json, Source source, Body& body) {
  if (!json.is_object()) throw HttpError(400, "the body must be a JSON object such as {\"model\": \"name\"}");
  std::vector<std::string> known;
  Body::fields(body,
               [&](const char* name, auto&, const char*, const Limits& = {}) { known.emplace_back(name); });
  body_detail::require_known(json, known);
  Body::fields(body, [&](const char* name, auto& field, const char* help, const Limits& limits = {}) {
    const auto found = json.find(name);
    const std::string path = name;
    if (found == json.end() || found->is_null()) {
      if (limits.required) throw HttpError(400, fmt::format("'{}' is missing: {}", name, help), path);
      return;
    }
    FieldReader{path, limits, source}.read(*found, field);
  });
}

template <typename Body>
nlohmann::json schema_of() {
  Body defaults;
  nlohmann::json properties = nlohmann::json::object();
  nlohmann::json required = nlohmann::json::array();
  Body::fields(defaults, [&](const char* name, auto& field, const char* help, const Limits& limits = {}) {
    nlohmann::json schema = FieldSchema{limits}.of(field);
    schema["description"] = help;
    const nlohmann::json value = body_detail::default_of(field);
    if (limits.required) {
      required.push_back(name);
    } else if (!value.is_null()) {
      schema["default"] = value;
    }
    properties[name] = schema;
  });
  nlohmann::json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

template <Section T>
void FieldReader::read(const nlohmann::json& json, T& value) const {
  if (!json.is_object()) refuse(json, "an object");
  read_body(json, source, value);
}

template <Section T>
nlohmann::json FieldSchema::of(const T&) const {
  return schema_of<T>();
}

}  // namespace memsizer::serve
