#include "core/standard_error.h"

#include <cstdio>

namespace memsizer {

void tell(std::string_view line) noexcept {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

}  // namespace memsizer
