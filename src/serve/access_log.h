#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>

#include "serve/http_server.h"

namespace memsizer::serve {

// One line of JSON per request. It has neither texts nor keys.
class AccessLog {
 public:
  // "-" is standard output; empty is no log. Throws UserError if the file cannot be opened.
  explicit AccessLog(const std::string& path);

  void write(const HttpRequest& request, const Answered& answered);

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace memsizer::serve
