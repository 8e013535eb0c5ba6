#pragma once

#include <cstdint>

namespace memsizer {

// The first ids of every vocabulary. A text begins and ends with kEos.
inline constexpr int64_t kBos = 0;
inline constexpr int64_t kPad = 1;
inline constexpr int64_t kEos = 2;
inline constexpr int64_t kUnk = 3;

}  // namespace memsizer
