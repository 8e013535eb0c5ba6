#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace memsizer {

// A user's mistake: a bad option, file or input. Its text is one line that says what was found, what was
// expected and what to do; programs print it and exit with code 2. Anything else that escapes is our own bug.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message) : std::runtime_error(message) {}

  template <typename... Args>
  explicit UserError(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

}  // namespace memsizer
