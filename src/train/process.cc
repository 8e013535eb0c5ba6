#include "train/process.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <sched.h>

#include <algorithm>
#include <limits>

namespace memsizer::train {

int available_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

void set_threads(int threads) {
  at::set_num_threads(threads > 0 ? threads : available_cores());
}

void keep_tensor_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace memsizer::train
