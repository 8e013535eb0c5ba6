#pragma once

#include <algorithm>
#include <optional>

#include "serve/api_keys.h"
#include "serve/metrics.h"
#include "serve/served_model.h"
#include "serve/state_store.h"

namespace memsizer::serve {

// What the routes work with.
struct Context {
  ServedModels& models;
  Metrics& metrics;
  StateStore& states;
  const ApiKeys& keys;
  double deadline = 300.0;  // seconds that a request may take at most

  // What a request asks for, within what the server allows.
  double deadline_of(const std::optional<double>& asked) const {
    return asked ? std::min(*asked, deadline) : deadline;
  }
};

}  // namespace memsizer::serve
