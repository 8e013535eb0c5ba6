#include "core/utf8.h"

#include <cstdint>
#include <cstring>

namespace memsizer {
namespace {

// The place of the first byte that is not ASCII, or the end; eight bytes at a time, as most text is ASCII.
size_t ascii_end(std::string_view text, size_t position) {
  constexpr uint64_t kHighBits = 0x8080808080808080ULL;
  uint64_t block = 0;
  for (; position + sizeof(block) <= text.size(); position += sizeof(block)) {
    std::memcpy(&block, text.data() + position, sizeof(block));
    if (block & kHighBits) break;
  }
  while (position < text.size() && static_cast<unsigned char>(text[position]) < 0x80) ++position;
  return position;
}

}  // namespace

CodePoint first_long_code_point(std::string_view text) {
  constexpr CodePoint kInvalid{.code = kNoCode, .bytes = 1};
  const auto lead = static_cast<unsigned char>(text.front());
  // 0x80 to 0xc1 are continuations and overlong forms; from 0xf5 on, codes are past U+10FFFF.
  if (lead < 0xc2 || lead > 0xf4) return kInvalid;
  const size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < bytes) return kInvalid;
  char32_t code = lead & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if (!continues_utf8(text[i])) return kInvalid;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
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

void append_utf8(std::string& text, char32_t code) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto put_continuation = [&](int shift) { put(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put_continuation(0);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put_continuation(6);
    put_continuation(0);
  } else {
    put(0xf0 | code >> 18);
    put_continuation(12);
    put_continuation(6);
    put_continuation(0);
  }
}

std::string_view whole_characters(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  // A character has at most three continuation bytes; more of them are no text, and cut anywhere.
  while (end > 0 && max_bytes - end < 3 && continues_utf8(text[end])) --end;
  return text.substr(0, continues_utf8(text[end]) ? max_bytes : end);
}

}  // namespace memsizer
