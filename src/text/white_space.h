#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memsizer::text {

// The next word of `text` at or after `position`, which moves behind it; empty at the end. Words are what is
// between white space; invalid bytes belong to them.
std::string_view next_word(std::string_view text, size_t& position);

// Runs of white space become one ASCII space, none is left at the ends.
std::string normalize_space(std::string_view text);

// Text that stays on its line: line ends become spaces.
std::string on_one_line(std::string text);

// Nothing but white space.
bool is_blank(std::string_view text);

}  // namespace memsizer::text
