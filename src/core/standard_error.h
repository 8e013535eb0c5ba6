#pragma once

#include <string_view>

namespace memsizer {

// Writes a line to standard error. One that cannot be written (a closed terminal, a full disk) is no reason
// to stop the work, so nothing is thrown.
void tell(std::string_view line) noexcept;

}  // namespace memsizer
