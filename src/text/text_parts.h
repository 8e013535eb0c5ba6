#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace memsizer::text {

// A part of a text that a tokenizer reads for itself.
struct TextPart {
  std::string_view text;
  bool goes_on = false;  // with the word of the part before
};

// How long a part and a word in one piece may be. Lines of usual text are one part.
struct PartSizes {
  size_t part = 64 * 1024;
  size_t word = 4 * 1024;
};

// Cuts a text into parts, so that a tokenizer's memory is bounded, and its time too where it takes longer
// than linear for a word: before words, and through words that are longer than `sizes.word`. A character is
// not cut. The parts together are the text.
std::vector<TextPart> text_parts(std::string_view text, PartSizes sizes = {});

}  // namespace memsizer::text
