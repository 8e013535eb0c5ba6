#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsizer::metrics {

enum class CharacterKind : uint8_t { Other, Number, Punctuation, Symbol };

// The character at `at`, which moves behind it. A byte that belongs to no valid UTF-8 comes back as a lone
// surrogate (U+DC00 + byte), which append_character turns into that byte again: broken text is scored, not
// refused.
char32_t next_character(std::string_view text, size_t& at);
void append_character(std::string& text, char32_t character);

CharacterKind kind_of(char32_t character);

// What Python's str.split() separates at.
bool is_space(char32_t character);

// Appends the words between white space; the views point into `text`.
void split_words(std::string_view text, std::vector<std::string_view>& words);

// Without the white space at the end, and at both ends.
std::string_view trim_end(std::string_view text);
std::string_view trim(std::string_view text);

// Python's str.lower().
std::string lowercase(std::string_view text);

}  // namespace memsizer::metrics
