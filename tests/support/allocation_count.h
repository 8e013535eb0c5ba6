#pragma once

#include <cstdint>

namespace memsizer::testing {

// Calls of operator new in this program so far: linking allocation_count.cc replaces it by one that counts.
int64_t allocation_count();

}  // namespace memsizer::testing
