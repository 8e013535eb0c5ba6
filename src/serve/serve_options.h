#pragma once

#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/served_model.h"
#include "serve/state_store.h"

namespace memsizer::serve {

struct ServeOptions {
  std::vector<std::string> models;  // FILE or NAME=FILE
  HttpOptions http;
  ModelLimits limits;
  StateLimits states;
  double deadline_seconds = 300.0;
  std::string api_key_file;
  bool insecure = false;
  std::string access_log;
  std::string version;

  // Throws UserError: numbers out of range, a public address without a key.
  void validate() const;
};

}  // namespace memsizer::serve
