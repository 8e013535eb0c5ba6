#pragma once

#include <cstdint>

namespace memsizer::train {

// A place in the common order of the training batches: a run goes on from it exactly.
struct BatchPosition {
  int64_t epoch = 0;  // from 0
  int64_t batch = 0;  // inside the epoch: the next one to be read
};

}  // namespace memsizer::train
