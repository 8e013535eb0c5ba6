#include "metrics/bleu_tokenizers.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "metrics/unicode.h"

namespace memsizer::metrics {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_period_or_comma(char c) {
  return c == '.' || c == ',';
}

// The symbols that mteval-v13a always takes for tokens: all ASCII punctuation but ' , - .
constexpr std::array<bool, 256> make_lone_symbols() {
  std::array<bool, 256> lone{};
  for (const char c : std::string_view("{|}~[\\]^_`!\"#$%&()*+:;<=>?@/"))
    lone[static_cast<unsigned char>(c)] = true;
  return lone;
}

constexpr std::array<bool, 256> kLoneSymbols = make_lone_symbols();

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string replaced;
  size_t copied = 0;
  for (; at != std::string::npos; at = text.find(from, copied)) {
    replaced.append(text, copied, at - copied).append(to);
    copied = at + from.size();
  }
  replaced.append(text, copied);
  text = std::move(replaced);
}

// The passes below are the substitutions of mteval-v13a in their order. Each matches from left to right
// without overlap, so the pair that one match takes is not looked at again. Bytes serve as well as characters
// here: only ASCII matters to the patterns.
void separate_lone_symbols(std::string_view in, std::string& out) {
  out.clear();
  for (const char c : in) {
    if (kLoneSymbols[static_cast<unsigned char>(c)]) {
      out += {' ', c, ' '};
    } else {
      out += c;
    }
  }
}

void separate_unless_after_digit(std::string_view in, std::string& out) {
  out.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    out += in[i];
    if (i + 1 < in.size() && !is_digit(in[i]) && is_period_or_comma(in[i + 1])) out += {' ', in[++i], ' '};
  }
}

void separate_unless_before_digit(std::string_view in, std::string& out) {
  out.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    if (i + 1 < in.size() && is_period_or_comma(in[i]) && !is_digit(in[i + 1])) {
      out += {' ', in[i], ' ', in[i + 1]};
      ++i;
    } else {
      out += in[i];
    }
  }
}

void separate_dash_after_digit(std::string_view in, std::string& out) {
  out.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    out += in[i];
    if (i + 1 < in.size() && is_digit(in[i]) && in[i + 1] == '-') out += {' ', in[++i], ' '};
  }
}

void separate_western(std::string_view line, std::string& text, std::string& spare) {
  separate_lone_symbols(line, spare);
  separate_unless_after_digit(spare, text);
  separate_unless_before_digit(text, spare);
  separate_dash_after_digit(spare, text);
}

void tokenize_13a(std::string_view line, std::string& text, std::string& spare) {
  std::string padded;
  padded.reserve(line.size() + 2);
  padded += ' ';
  padded += line;
  replace_all(padded, "<skipped>", "");
  replace_all(padded, "-\n", "");
  replace_all(padded, "\n", " ");
  if (line.find('&') != std::string_view::npos) {
    replace_all(padded, "&quot;", "\"");
    replace_all(padded, "&amp;", "&");
    replace_all(padded, "&lt;", "<");
    replace_all(padded, "&gt;", ">");
  }
  padded += ' ';
  separate_western(padded, text, spare);
}

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// What sacreBLEU takes for a Chinese character. Its table writes the planes above U+FFFF with four-digit
// escapes, which makes them the two ranges from U+2001 and U+2F81 on: dashes and quotation marks are tokens
// of their own, characters of extension B are not.
constexpr CharacterRange kChinese[] = {{0x2001, 0x2a6d}, {0x2e80, 0x2eff}, {0x2f00, 0x2fdf}, {0x2ff0, 0x2fff},
                                       {0x3000, 0x303f}, {0x3100, 0x312f}, {0x31a0, 0x31bf}, {0x31c0, 0x31ef},
                                       {0x3200, 0x33ff}, {0x3400, 0x4db5}, {0x4e00, 0x9fbb}, {0xf900, 0xfa2d},
                                       {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f}, {0xfe30, 0xfe4f},
                                       {0xff00, 0xffef}};

bool is_chinese(char32_t character) {
  for (const CharacterRange& range : kChinese) {
    if (character <= range.last) return character >= range.first;
  }
  return false;
}

void tokenize_zh(std::string_view line, std::string& text, std::string& spare) {
  const std::string_view trimmed = trim(line);
  std::string separated;
  for (size_t at = 0; at < trimmed.size();) {
    const size_t start = at;
    const bool chinese = is_chinese(next_character(trimmed, at));
    if (chinese) separated += ' ';
    separated += trimmed.substr(start, at - start);
    if (chinese) separated += ' ';
  }
  separate_western(separated, text, spare);
}

void tokenize_char(std::string_view line, std::string& text) {
  text.clear();
  for (size_t at = 0; at < line.size();) {
    const size_t start = at;
    next_character(line, at);
    text += line.substr(start, at - start);
    text += ' ';
  }
}

struct Character {
  char32_t value;
  CharacterKind kind;
};

constexpr Character kSpace = {' ', CharacterKind::Other};

// The substitutions of mteval-v14, international form, again in order and without overlap.
void tokenize_intl(std::string_view line, std::string& text) {
  std::vector<Character> in;
  in.reserve(line.size());
  for (size_t at = 0; at < line.size();) {
    const char32_t value = next_character(line, at);
    in.push_back({value, kind_of(value)});
  }
  std::vector<Character> out;
  out.reserve(in.size() * 2);
  for (size_t i = 0; i < in.size(); ++i) {
    out.push_back(in[i]);
    if (i + 1 < in.size() && in[i].kind != CharacterKind::Number &&
        in[i + 1].kind == CharacterKind::Punctuation) {
      out.insert(out.end(), {kSpace, in[++i], kSpace});
    }
  }
  in.swap(out);
  out.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    if (i + 1 < in.size() && in[i].kind == CharacterKind::Punctuation &&
        in[i + 1].kind != CharacterKind::Number) {
      out.insert(out.end(), {kSpace, in[i], kSpace, in[i + 1]});
      ++i;
    } else {
      out.push_back(in[i]);
    }
  }
  text.clear();
  for (const Character& character : out) {
    const bool symbol = character.kind == CharacterKind::Symbol;
    if (symbol) text += ' ';
    append_character(text, character.value);
    if (symbol) text += ' ';
  }
}

}  // namespace

std::string_view LineTokenizer::tokenize(std::string_view line) {
  switch (tokenizer_) {
    case BleuTokenizer::None:
      return line;
    case BleuTokenizer::V13a:
      tokenize_13a(line, text_, spare_);
      return text_;
    case BleuTokenizer::Zh:
      tokenize_zh(line, text_, spare_);
      return text_;
    case BleuTokenizer::Intl:
      tokenize_intl(line, text_);
      return text_;
    case BleuTokenizer::Char:
      tokenize_char(line, text_);
      return text_;
  }
  throw std::logic_error("unknown BLEU tokenizer");
}

std::span<const std::string_view> LineTokenizer::tokens(std::string_view line) {
  if (lowercase_) {
    lowered_ = lowercase(line);
    line = lowered_;
  }
  words_.clear();
  split_words(tokenize(trim_end(line)), words_);
  return words_;
}

std::string tokenized(BleuTokenizer tokenizer, std::string_view line) {
  LineTokenizer tokenizer_of_lines(tokenizer);
  return fmt::format("{}", fmt::join(tokenizer_of_lines.tokens(line), " "));
}

}  // namespace memsizer::metrics
