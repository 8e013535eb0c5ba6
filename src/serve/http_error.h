#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "serve/http.h"

namespace memsizer::serve {

// What is wrong with a request, and what to do, for the one who sent it.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& message, std::string param = "")
      : std::runtime_error(message), status_(status), param_(std::move(param)) {}

  int status() const { return status_; }
  const std::string& param() const { return param_; }

 private:
  int status_;
  std::string param_;  // the field that is meant, if one is
};

// How clients of an interface expect their errors.
enum class ErrorForm {
  Object,  // {"error": {"message", "type", "param", "code"}}, as OpenAI's clients do
  Text,    // {"error": message}, as LibreTranslate's do
};

// The body of an error; messages are cut to a length that is safe to log.
nlohmann::json error_json(const HttpError& error, ErrorForm form);
HttpResponse error_response(const HttpError& error, ErrorForm form = ErrorForm::Object);

// What an exception is to the one who sent the request: a UserError is their mistake, others are our bugs.
HttpError as_http_error(const std::exception_ptr& error);

// JSON that is sent: text that is not UTF-8 must not end the answer.
std::string dump_json(const nlohmann::json& json);

}  // namespace memsizer::serve
