#pragma once

#include <cstdint>
#include <string>

namespace memsizer::train {

struct QuickstartOptions {
  std::string folder = "runs/quickstart";
  int64_t updates = 2000;
  int64_t seed = 1;
  int64_t threads = 0;
};

// The main job on data that needs no download: writes an English-German corpus from a grammar, trains a
// small MemSizer translator on it, scores it on sentences it has not seen, and compares its generation with
// that of a softmax twin. Prints what it does. An earlier quickstart in the folder is replaced.
void run_quickstart(const QuickstartOptions& options);

}  // namespace memsizer::train
