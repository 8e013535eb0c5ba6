#include "text/text_parts.h"

#include "core/utf8.h"
#include "text/white_space.h"

namespace memsizer::text {

std::vector<TextPart> text_parts(std::string_view text, PartSizes sizes) {
  std::vector<TextPart> parts;
  size_t begin = 0;  // of the part that is being collected
  const auto close_part = [&](size_t end) {
    if (end > begin) parts.push_back({text.substr(begin, end - begin)});
    begin = end;
  };
  size_t position = 0;
  for (std::string_view word = next_word(text, position); !word.empty(); word = next_word(text, position)) {
    const size_t word_begin = position - word.size();
    if (position - begin > sizes.part) close_part(word_begin);
    if (word.size() <= sizes.word) continue;
    close_part(word_begin);
    for (bool goes_on = false; !word.empty(); goes_on = true) {
      const std::string_view piece = whole_characters(word, sizes.word);
      parts.push_back({piece, goes_on});
      word.remove_prefix(piece.size());
    }
    begin = position;
  }
  close_part(text.size());
  return parts;
}

}  // namespace memsizer::text
