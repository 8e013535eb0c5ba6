#include "serve/access_log.h"

#include <fmt/chrono.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/error.h"
#include "core/utf8.h"
#include "serve/http_error.h"

namespace memsizer::serve {
namespace {

constexpr size_t kLongestPath = 200;

double rounded_ms(double seconds) {
  return static_cast<double>(static_cast<int64_t>(seconds * 1e6)) / 1e3;
}

}  // namespace

AccessLog::AccessLog(const std::string& path) {
  if (path.empty()) return;
  file_.reset(path == "-" ? stdout : std::fopen(path.c_str(), "ae"));
  if (!file_)
    throw UserError("could not open the access log {} ({}); give another --access-log", path,
                    std::strerror(errno));
}

void AccessLog::write(const HttpRequest& request, const Answered& answered) {
  if (!file_) return;
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  nlohmann::json line = {{"time", fmt::format("{:%FT%TZ}", fmt::gmtime(now))},
                         {"remote", request.remote},
                         {"method", request.method},
                         {"path", std::string(whole_characters(request.path, kLongestPath))},
                         {"status", answered.status},
                         {"bytes", answered.bytes},
                         {"ms", rounded_ms(answered.seconds)}};
  if (!answered.complete) line["client_gone"] = true;
  if (answered.notes.is_object()) line.update(answered.notes);
  const std::string text = dump_json(line) + "\n";
  const std::scoped_lock lock(mutex_);
  std::fwrite(text.data(), 1, text.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace memsizer::serve
