#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The only place where UTF-8 is decoded. Text comes from anywhere, so nothing here fails: a byte that begins
// no valid sequence is a character of one byte without a code, and what becomes of it is the caller's choice
// (kept as it is, replaced, or the line refused).
namespace memsizer {

struct CodePoint {
  char32_t code = 0;
  size_t bytes = 0;
};

// The code of a byte that begins no valid sequence; its length is 1.
inline constexpr char32_t kNoCode = 0xffffffff;

// Whether a byte goes on with a sequence that another byte began.
inline bool continues_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

// The character that begins with a byte outside of ASCII; for first_code_point().
CodePoint first_long_code_point(std::string_view text);

// The character at the start of `text`, which must not be empty. Overlong forms, surrogates, sequences that
// end too early and codes past U+10FFFF are not valid.
inline CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {.code = lead, .bytes = 1};
  return first_long_code_point(text);
}

bool valid_utf8(std::string_view text);

// `code` must be a code point, of at most U+10FFFF.
void append_utf8(std::string& text, char32_t code);

// Unicode's White_Space property. The zero-width joiner and the zero-width space do not have it.
constexpr bool is_white_space(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

// The longest beginning of `text` that has at most `max_bytes` and does not cut through a character.
std::string_view whole_characters(std::string_view text, size_t max_bytes);

}  // namespace memsizer
