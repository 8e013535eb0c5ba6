#pragma once

#include <cstdint>

namespace memsizer::bench {

// Resident memory of this process in bytes, now and at its highest since the last reset.
int64_t resident_bytes();
int64_t peak_resident_bytes();
void reset_peak_resident();

}  // namespace memsizer::bench
