#pragma once

namespace memsizer::kernels {

inline constexpr int kMostThreads = 1024;  // of a worker; of workers too

// The threads of each of some workers, where `threads` is what a user gave: 0 shares the physical cores among
// the workers. Throws UserError if a number is out of range. Every count of threads that comes from outside
// passes here.
int thread_count(int threads, int workers = 1);

}  // namespace memsizer::kernels
