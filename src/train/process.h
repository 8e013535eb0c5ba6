#pragma once

namespace memsizer::train {

// Threads of LibTorch on the CPU; 0 takes all cores of the affinity mask. LibTorch's own default is one
// thread where it misreads a virtual machine.
void set_threads(int threads);

// Makes malloc keep the memory of large tensors, instead of returning it to the system and having every
// operation fault it in again (docs/performance.md). Call it first thing in main.
void keep_tensor_memory();

// Cores this process may run on.
int available_cores();

}  // namespace memsizer::train
