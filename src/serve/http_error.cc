#include "serve/http_error.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/utf8.h"

namespace memsizer::serve {
namespace {

constexpr size_t kLongestMessage = 1000;
constexpr auto kRetrySeconds = "1";

std::string error_type(int status) {
  if (status == 401) return "authentication_error";
  if (status == 404) return "not_found_error";
  if (status == 503) return "overloaded_error";
  if (status == 504) return "timeout_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

}  // namespace

std::string dump_json(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json error_json(const HttpError& error, ErrorForm form) {
  const std::string message(whole_characters(error.what(), kLongestMessage));
  if (form == ErrorForm::Text) return {{"error", message}};
  nlohmann::json param = nullptr;
  if (!error.param().empty()) param = error.param();
  return {
      {"error",
       {{"message", message}, {"type", error_type(error.status())}, {"param", param}, {"code", nullptr}}}};
}

HttpResponse error_response(const HttpError& error, ErrorForm form) {
  HttpResponse response;
  response.status = error.status();
  response.body = dump_json(error_json(error, form));
  if (error.status() == 503) response.headers.emplace_back("Retry-After", kRetrySeconds);
  if (error.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

HttpError as_http_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& known) {
    return known;
  } catch (const UserError& mistake) {
    return {400, mistake.what()};
  } catch (const std::exception& bug) {
    return {500, fmt::format("internal error: {}", bug.what())};
  }
}

}  // namespace memsizer::serve
