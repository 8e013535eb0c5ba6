#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serve/body.h"

namespace memsizer::serve {

// A request on its way to the one who answers it.
struct Call {
  std::shared_ptr<Exchange> exchange;
  std::map<std::string, std::string> parameters;  // of the path
  std::string owner;                              // whose key it came with
  ErrorForm errors = ErrorForm::Object;

  const HttpRequest& request() const { return exchange->request(); }
};

enum class Access {
  Key,        // in a header
  KeyInBody,  // in a header, or a field api_key
  Open,
};

// What is served, said once: it routes, validates and documents.
struct Route {
  std::string method;
  std::string path;  // may have one part in braces, a parameter
  std::string summary;
  Access access = Access::Key;
  ErrorForm errors = ErrorForm::Object;
  bool form = false;                  // takes a form as well as JSON
  nlohmann::json request = nullptr;   // schema of the body; null: there is none
  nlohmann::json response = nullptr;  // schema of the answer; null: no JSON
  std::string response_type = "application/json";
  // What it throws is answered; HttpError and UserError as the client's mistake.
  std::function<void(Call& call)> handle;
};

class RouteTable {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }

  // A route whose body is a struct of fields (body.h).
  template <typename Body>
  void add(Route route, std::function<void(Call& call, Body& body)> handle) {
    route.request = schema_of<Body>();
    const bool form = route.form;
    route.handle = [form, handle = std::move(handle)](Call& call) {
      Body body;
      const auto [json, source] = parsed(call.request(), form);
      read_body(json, source, body);
      handle(call, body);
    };
    add(std::move(route));
  }

  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string> parameters;
  };
  // Throws HttpError if nothing is there, or does not take the method.
  Match find(const std::string& method, const std::string& path) const;

  // The document of OpenAPI 3.0.
  nlohmann::json openapi(const std::string& version) const;

 private:
  struct Parsed {
    nlohmann::json json;
    Source source = Source::Json;
  };
  // The body, by its content type; throws HttpError.
  static Parsed parsed(const HttpRequest& request, bool form);

  std::vector<Route> routes_;
};

}  // namespace memsizer::serve
