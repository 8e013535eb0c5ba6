#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/ragged.h"

namespace memsizer::runtime {

// Token sequences laid one after the other, as models take them.
struct JoinedTokens {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> tokens;

  JoinedTokens() = default;
  explicit JoinedTokens(const std::vector<std::vector<int32_t>>& sequences) {
    for (const auto& sequence : sequences) add(sequence);
  }

  void add(std::span<const int32_t> sequence) {
    tokens.insert(tokens.end(), sequence.begin(), sequence.end());
    offsets.push_back(static_cast<int64_t>(tokens.size()));
  }
  Ragged ragged() const { return Ragged{offsets}; }
};

}  // namespace memsizer::runtime
