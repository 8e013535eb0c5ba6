#include "report/shown_text.h"

#include <algorithm>

#include "core/utf8.h"

namespace memsizer::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "...";
// Hangul Jamo; nothing before it is wide.
constexpr char32_t kFirstWide = 0x1100;

// Neither XML nor a terminal should meet these.
bool is_forbidden(char32_t code) {
  if (code == '\n' || code == '\t') return false;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff;
}

size_t columns_of(char32_t code) {
  return code >= kFirstWide && code != kNoCode ? 2 : 1;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const CodePoint character = first_code_point(text);
    if (character.code == '\r') {
      if (!text.substr(1).starts_with('\n')) clean += '\n';
    } else if (character.code == kNoCode || is_forbidden(character.code)) {
      clean += kReplacement;
    } else {
      clean += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return clean;
}

std::string clean_line(std::string_view text) {
  std::string line = clean_text(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string escape_markup(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

size_t text_columns(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const CodePoint character = first_code_point(text);
    columns += columns_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, size_t columns) {
  if (text_columns(text) <= columns) return std::string(text);
  const std::string_view end = kEllipsis.substr(0, columns);
  size_t left = columns - end.size();
  size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint character = first_code_point(text.substr(bytes));
    if (columns_of(character.code) > left) break;
    left -= columns_of(character.code);
    bytes += character.bytes;
  }
  std::string cut(text.substr(0, bytes));
  cut += end;
  return cut;
}

}  // namespace memsizer::report
