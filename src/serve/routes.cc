#include "serve/routes.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace memsizer::serve {
namespace {

using nlohmann::json;

std::optional<std::map<std::string, std::string>> matched(const std::string& pattern,
                                                          const std::string& path) {
  const size_t open = pattern.find('{');
  if (open == std::string::npos) {
    if (pattern != path) return std::nullopt;
    return std::map<std::string, std::string>{};
  }
  const size_t close = pattern.find('}');
  const std::string before = pattern.substr(0, open);
  const std::string after = pattern.substr(close + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after))
    return std::nullopt;
  const std::string value = path.substr(before.size(), path.size() - before.size() - after.size());
  if (value.find('/') != std::string::npos) return std::nullopt;
  return std::map<std::string, std::string>{{pattern.substr(open + 1, close - open - 1), value}};
}

json error_schema(ErrorForm form) {
  if (form == ErrorForm::Text)
    return {{"type", "object"}, {"required", {"error"}}, {"properties", {{"error", {{"type", "string"}}}}}};
  const json text = {{"type", "string"}};
  const json text_or_null = {{"type", "string"}, {"nullable", true}};
  const json error = {
      {"type", "object"},
      {"required", {"message", "type"}},
      {"properties", {{"message", text}, {"type", text}, {"param", text_or_null}, {"code", text_or_null}}}};
  return {{"type", "object"}, {"required", {"error"}}, {"properties", {{"error", error}}}};
}

json operation(const Route& route) {
  json answers = {{"200", {{"description", "the answer"}}}};
  if (!route.response.is_null()) {
    answers["200"]["content"][route.response_type]["schema"] = route.response;
  } else {
    answers["200"]["content"][route.response_type]["schema"] = {{"type", "string"}};
  }
  answers["default"] = {{"description", "what is wrong and what to do"},
                        {"content", {{"application/json", {{"schema", error_schema(route.errors)}}}}}};
  json result = {{"summary", route.summary}, {"responses", answers}};
  if (!route.request.is_null()) {
    json content = {{"application/json", {{"schema", route.request}}}};
    if (route.form) content["application/x-www-form-urlencoded"] = {{"schema", route.request}};
    result["requestBody"] = {{"required", true}, {"content", content}};
  }
  const size_t open = route.path.find('{');
  if (open != std::string::npos) {
    const std::string name = route.path.substr(open + 1, route.path.find('}') - open - 1);
    result["parameters"] =
        json::array({{{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}}});
  }
  if (route.access == Access::Open) result["security"] = json::array();
  return result;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

RouteTable::Match RouteTable::find(const std::string& method, const std::string& path) const {
  std::string allowed;
  for (const Route& route : routes_) {
    auto parameters = matched(route.path, path);
    if (!parameters) continue;
    if (route.method == method || (route.method == "GET" && method == "HEAD"))
      return {&route, std::move(*parameters)};
    allowed += (allowed.empty() ? "" : ", ") + route.method;
  }
  if (allowed.empty()) throw HttpError(404, "nothing is served at this path; /openapi.json lists what is");
  throw HttpError(405, fmt::format("this path does not take that method; use {}", allowed));
}

RouteTable::Parsed RouteTable::parsed(const HttpRequest& request, bool form) {
  const std::string header = lower(request.header("content-type"));
  std::string type = header.substr(0, header.find(';'));
  while (type.ends_with(' ')) type.pop_back();
  if (form && type == "application/x-www-form-urlencoded") return {parse_form(request.body), Source::Form};
  if (type != "application/json") {
    throw HttpError(415, fmt::format("the content type is '{}'; send application/json{}", type.substr(0, 100),
                                     form ? " or application/x-www-form-urlencoded" : ""));
  }
  return {parse_json(request.body), Source::Json};
}

json RouteTable::openapi(const std::string& version) const {
  json paths = json::object();
  for (const Route& route : routes_) paths[route.path][lower(route.method)] = operation(route);
  json document = {
      {"openapi", "3.0.3"}, {"info", {{"title", "MemSizer"}, {"version", version}}}, {"paths", paths}};
  document["components"]["securitySchemes"]["key"] = {{"type", "http"}, {"scheme", "bearer"}};
  document["security"] = json::array({{{"key", json::array()}}});
  return document;
}

}  // namespace memsizer::serve
