#pragma once

#include <cstddef>
#include <filesystem>

#include "core/error.h"

namespace memsizer {

// For a file that memory does not suffice for.
inline UserError not_enough_memory(const std::filesystem::path& path, size_t bytes) {
  constexpr size_t kMegabyte = 1000 * 1000;
  return UserError(
      "not enough memory: '{}' needs about {} MB; end other programs or raise the limit (ulimit -v)",
      path.string(), bytes / kMegabyte + 1);
}

}  // namespace memsizer
