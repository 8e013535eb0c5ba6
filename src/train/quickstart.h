#pragma once

#include <cstdint>

namespace memsizer::train {

struct QuickstartOptions {
  int64_t steps = 700;
  int64_t seed = 1;
  int threads = 0;
};

// Trains a tiny MemSizer model to read numbers out in English, checks it on numbers it has not seen, and
// compares its generation with that of a softmax twin. Prints what it does.
void run_quickstart(const QuickstartOptions& options);

}  // namespace memsizer::train
