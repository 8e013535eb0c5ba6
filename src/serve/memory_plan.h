#pragma once

#include <cstdint>
#include <string>

#include "serve/http_server.h"
#include "serve/served_model.h"
#include "serve/state_store.h"

namespace memsizer::serve {

// The most memory that the server can take, computed from its limits; what is above them is refused.
struct MemoryPlan {
  int64_t loaded = 0;   // weights, tokenizers and the program, as measured
  int64_t states = 0;   // of the texts that are computed
  int64_t scratch = 0;  // of the computation
  int64_t queue = 0;    // texts that wait, and outputs
  int64_t buffers = 0;  // of connections and requests
  int64_t saved = 0;    // states that are kept

  int64_t total() const { return loaded + states + scratch + queue + buffers + saved; }
  // One line.
  std::string text() const;
};

// `loaded` is the memory of the process with its models loaded.
MemoryPlan memory_plan(int64_t loaded, const ServedModels& models, const HttpOptions& http,
                       const StateLimits& states);

}  // namespace memsizer::serve
