#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace memsizer::testing {

// The text of the UserError that `call` throws, or "no error".
template <typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

inline ::testing::AssertionResult has_text(const std::string& message, const std::string& part) {
  if (message.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << message << "' lacks '" << part << "'";
}

}  // namespace memsizer::testing
