#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memsizer::text {

// The character at the start of some text. `code` of a byte that begins no valid UTF-8 sequence is kNoCode,
// and its length is 1.
struct CodePoint {
  char32_t code = 0;
  size_t bytes = 0;
};

inline constexpr char32_t kNoCode = 0xffffffff;

// `text` must not be empty. Overlong forms, surrogates and codes past U+10FFFF are not valid.
CodePoint first_code_point(std::string_view text);

bool valid_utf8(std::string_view text);

// Unicode's White_Space property. The zero-width joiner and the zero-width space do not have it.
bool is_space(char32_t code);

// The next word of `text` at or after `position`, which moves behind it; empty at the end. Words are what
// stands between white space; invalid bytes belong to them.
std::string_view next_word(std::string_view text, size_t& position);

// Runs of white space become one ASCII space, none is left at the ends.
std::string normalize_space(std::string_view text);

// Nothing but white space.
bool is_blank(std::string_view text);

// The longest beginning of `text` that has at most `max_bytes` and does not cut through a character.
std::string_view whole_characters(std::string_view text, size_t max_bytes);

}  // namespace memsizer::text
