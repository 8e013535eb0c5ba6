#include "text/white_space.h"

#include <algorithm>

#include "core/utf8.h"

namespace memsizer::text {

std::string_view next_word(std::string_view text, size_t& position) {
  while (position < text.size()) {
    const CodePoint character = first_code_point(text.substr(position));
    if (!is_white_space(character.code)) break;
    position += character.bytes;
  }
  const size_t begin = position;
  while (position < text.size()) {
    const CodePoint character = first_code_point(text.substr(position));
    if (is_white_space(character.code)) break;
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

std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

bool is_blank(std::string_view text) {
  size_t position = 0;
  return next_word(text, position).empty();
}

}  // namespace memsizer::text
