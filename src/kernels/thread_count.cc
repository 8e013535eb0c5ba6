#include "kernels/thread_count.h"

#include <algorithm>

#include "core/error.h"
#include "kernels/team.h"

namespace memsizer::kernels {

int thread_count(int threads, int workers) {
  constexpr int kMostTogether = 4096;
  if (workers < 1 || workers > kMostThreads)
    throw UserError("workers is {}; it must be from 1 to {}", workers, kMostThreads);
  if (threads < 0 || threads > kMostThreads)
    throw UserError("threads is {}; it must be from 1 to {}, or 0 for the physical cores", threads,
                    kMostThreads);
  if (threads * workers > kMostTogether) {
    throw UserError("{} workers of {} threads are {} threads; ask for at most {} together", workers, threads,
                    threads * workers, kMostTogether);
  }
  return threads > 0 ? threads : std::max(1, physical_cores() / workers);
}

}  // namespace memsizer::kernels
