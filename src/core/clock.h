#pragma once

#include <chrono>

namespace memsizer {

// Seconds of a clock that never goes back; only differences mean something.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace memsizer
