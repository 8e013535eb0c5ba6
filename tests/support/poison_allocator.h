#pragma once

#include <c10/core/Allocator.h>

namespace memsizer::testing {

// From here on, all CPU tensor memory arrives filled with NaN bytes, so that a kernel which relies on fresh
// memory being zero fails its test instead of passing by luck.
void poison_fresh_memory();

}  // namespace memsizer::testing
