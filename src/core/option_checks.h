#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/error.h"

// Checks of options that many sections share. Each throws UserError naming the option, what was found and
// what is allowed.
namespace memsizer {

// Sizes past this are typing mistakes, and would overflow counts or memory long before they could be trained.
inline constexpr int64_t kMaxWidth = 1 << 20;

inline void require_range(std::string_view option, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return;
  throw UserError("{} is {}; it must be from {} to {}", option, value, low, high);
}

inline void require_probability(std::string_view option, double value) {
  if (value >= 0.0 && value < 1.0) return;
  throw UserError("{} is {}; it must be at least 0 and below 1", option, value);
}

inline void require_positive(std::string_view option, double value) {
  if (std::isfinite(value) && value > 0.0) return;
  throw UserError("{} is {}; it must be a number above 0", option, value);
}

}  // namespace memsizer
