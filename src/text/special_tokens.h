#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/special_tokens.h"

namespace memsizer::text {

// What listings call the ids 0 to 3.
inline constexpr std::array<std::string_view, 4> kSpecialNames = {"<s>", "<pad>", "</s>", "<unk>"};
static_assert(kBos == 0 && kPad == 1 && kEos == 2 && kUnk == 3);

// Special tokens that stand for no text.
inline bool is_control(int32_t id) {
  return id >= 0 && id < kUnk;
}

// Cuts tokens to `longest`, at least 1, of which the last is then the end token.
inline void truncate(std::vector<int32_t>& tokens, int64_t longest) {
  if (static_cast<int64_t>(tokens.size()) <= longest) return;
  tokens.resize(static_cast<size_t>(longest));
  tokens.back() = static_cast<int32_t>(kEos);
}

}  // namespace memsizer::text
