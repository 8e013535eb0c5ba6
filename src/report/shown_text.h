#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memsizer::report {

// Text from anywhere made fit to be shown: always valid UTF-8, no control characters but newline and tab.
// What is not allowed becomes U+FFFD; line ends of all kinds become '\n'.
std::string clean_text(std::string_view text);

// clean_text() on one line: newlines and tabs become spaces.
std::string clean_line(std::string_view text);

// clean_text() with the characters that mean something in HTML and XML escaped, quotes included.
std::string escape_markup(std::string_view text);

// Columns that clean UTF-8 text takes on a terminal, never less than the truth: wide scripts count two.
size_t text_columns(std::string_view text);

// Clean text cut to at most `columns`, with "..." at the end where it was cut.
std::string cut_to_columns(std::string_view text, size_t columns);

}  // namespace memsizer::report
