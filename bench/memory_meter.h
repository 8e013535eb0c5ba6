#pragma once

#include <cstdint>

namespace memsizer::bench {

// Counts the bytes of live CPU tensors. Call once, before the first tensor is made.
void install_memory_meter();

// Forgets the peak so far; peak_bytes() then tells the most that was live beyond this moment's bytes.
void reset_peak();
int64_t peak_bytes();

}  // namespace memsizer::bench
