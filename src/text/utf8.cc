#include "text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace memsizer::text {
namespace {

uint8_t byte_at(std::string_view text, size_t position) {
  return static_cast<uint8_t>(text[position]);
}

bool continues(std::string_view text, size_t position) {
  return position < text.size() && (byte_at(text, position) & 0xc0) == 0x80;
}

// Where the first byte that is not ASCII stands, or the end; eight bytes at a time, as most text is ASCII.
size_t ascii_end(std::string_view text, size_t position) {
  constexpr uint64_t kHighBits = 0x8080808080808080ULL;
  uint64_t block = 0;
  for (; position + sizeof(block) <= text.size(); position += sizeof(block)) {
    std::memcpy(&block, text.data() + position, sizeof(block));
    if (block & kHighBits) break;
  }
  while (position < text.size() && byte_at(text, position) < 0x80) ++position;
  return position;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  constexpr CodePoint kInvalid{.code = kNoCode, .bytes = 1};
  const uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {.code = lead, .bytes = 1};
  // 0x80 to 0xc1 are continuations and overlong forms, from 0xf5 on codes lie past U+10FFFF.
  if (lead < 0xc2 || lead > 0xf4) return kInvalid;
  const size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  char32_t code = lead & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if (!continues(text, i)) return kInvalid;
    code = code << 6 | (byte_at(text, i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return kInvalid;
  return {.code = code, .bytes = bytes};
}

bool valid_utf8(std::string_view text) {
  for (size_t position = ascii_end(text, 0); position < text.size(); position = ascii_end(text, position)) {
    const CodePoint character = first_code_point(text.substr(position));
    if (character.code == kNoCode) return false;
    position += character.bytes;
  }
  return true;
}

bool is_space(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

std::string_view next_word(std::string_view text, size_t& position) {
  while (position < text.size()) {
    const CodePoint character = first_code_point(text.substr(position));
    if (!is_space(character.code)) break;
    position += character.bytes;
  }
  const size_t begin = position;
  while (position < text.size()) {
    const CodePoint character = first_code_point(text.substr(position));
    if (is_space(character.code)) break;
    position += character.bytes;
  }
  return text.substr(begin, position - begin);
}

std::string normalize_space(std::string_view text) {
  std::string normal;
  normal.reserve(text.size());
  size_t position = 0;
  for (std::string_view word = next_word(text, position); !word.empty(); word = next_word(text, position)) {
    if (!normal.empty()) normal += ' ';
    normal += word;
  }
  return normal;
}

bool is_blank(std::string_view text) {
  size_t position = 0;
  return next_word(text, position).empty();
}

std::string_view whole_characters(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  // A character has at most three continuation bytes; more of them are no text, and cut anywhere.
  while (end > 0 && max_bytes - end < 3 && continues(text, end)) --end;
  return text.substr(0, continues(text, end) ? max_bytes : end);
}

}  // namespace memsizer::text
