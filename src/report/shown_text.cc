#include "report/shown_text.h"

#include <algorithm>
#include <cstdint>

namespace memsizer::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "...";
// Hangul Jamo; nothing before it is wide.
constexpr char32_t kFirstWide = 0x1100;

struct Character {
  char32_t code = 0;
  size_t bytes = 1;
  bool valid = false;
};

// The character at the start of `text`, which is not empty. An invalid one is a single byte long.
Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.code = lead, .bytes = 1, .valid = true};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < bytes) return {};
  char32_t code = lead & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {.code = code, .bytes = bytes, .valid = true};
}

// Neither XML nor a terminal should meet these.
bool is_forbidden(char32_t code) {
  if (code == '\n' || code == '\t') return false;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff;
}

size_t columns_of(char32_t code) {
  return code >= kFirstWide ? 2 : 1;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.code == '\r') {
      if (!text.substr(1).starts_with('\n')) clean += '\n';
    } else if (!character.valid || is_forbidden(character.code)) {
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
    const Character character = first_character(text);
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
    const Character character = first_character(text.substr(bytes));
    if (columns_of(character.code) > left) break;
    left -= columns_of(character.code);
    bytes += character.bytes;
  }
  std::string cut(text.substr(0, bytes));
  cut += end;
  return cut;
}

}  // namespace memsizer::report
