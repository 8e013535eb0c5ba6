#pragma once

#include "kernels/team.h"
#include "runtime/positions.h"
#include "runtime/scratch.h"

namespace memsizer::runtime {

// Who computes, and with what memory: one for each worker. Weights are shared, this is not.
struct Work {
  explicit Work(int threads = 1) : team(threads) {}

  kernels::Team team;
  Scratch scratch;
  Positions::Table positions;
};

}  // namespace memsizer::runtime
