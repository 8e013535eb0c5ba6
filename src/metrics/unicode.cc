#include "metrics/unicode.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "core/utf8.h"

namespace memsizer::metrics {
namespace {

struct Run {
  char32_t first;
  char32_t last;
};

struct KindRun {
  char32_t first;
  char32_t last;
  CharacterKind kind;
};

// Every `stride`-th character from first to last has its lower case `offset` further on.
struct LowerRun {
  char32_t first;
  char32_t last;
  uint32_t stride;
  int32_t offset;
};

constexpr CharacterKind kN = CharacterKind::Number;
constexpr CharacterKind kP = CharacterKind::Punctuation;
constexpr CharacterKind kS = CharacterKind::Symbol;

#include "metrics/unicode_tables.inc"

constexpr char32_t kByteSurrogates = 0xdc00;
constexpr char32_t kCapitalDottedI = 0x130;
constexpr char32_t kCapitalSigma = 0x3a3;
constexpr char32_t kSmallSigma = 0x3c3;
constexpr char32_t kFinalSigma = 0x3c2;

constexpr std::array<CharacterKind, 128> make_ascii_kinds() {
  std::array<CharacterKind, 128> kinds{};
  for (char c = '0'; c <= '9'; ++c) kinds[static_cast<size_t>(c)] = CharacterKind::Number;
  for (const char c : std::string_view("!\"#%&'()*,-./:;?@[\\]_{}")) {
    kinds[static_cast<size_t>(c)] = CharacterKind::Punctuation;
  }
  for (const char c : std::string_view("$+<=>^`|~")) kinds[static_cast<size_t>(c)] = CharacterKind::Symbol;
  return kinds;
}

constexpr std::array<CharacterKind, 128> kAsciiKinds = make_ascii_kinds();

// The information separators, which are white space to Python and not to Unicode.
constexpr bool is_ascii_separator(char32_t character) {
  return character >= 0x1c && character <= 0x1f;
}

// The run that holds the character, or null.
template <typename AnyRun, size_t kSize>
const AnyRun* find_run(const AnyRun (&runs)[kSize], char32_t character) {
  const AnyRun* run =
      std::lower_bound(std::begin(runs), std::end(runs), character,
                       [](const AnyRun& candidate, char32_t value) { return candidate.last < value; });
  return run != std::end(runs) && run->first <= character ? run : nullptr;
}

char32_t simple_lower(char32_t character) {
  if (character < 0x80) return character >= 'A' && character <= 'Z' ? character + 32 : character;
  const LowerRun* run = find_run(kLower, character);
  if (!run || (character - run->first) % run->stride != 0) return character;
  return static_cast<char32_t>(static_cast<int32_t>(character) + run->offset);
}

bool is_cased(char32_t character) {
  if (character < 0x80) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  }
  return find_run(kCased, character) != nullptr;
}

bool is_case_ignorable(char32_t character) {
  if (character < 0x80) return std::u32string_view(U"'.:^`").find(character) != std::u32string_view::npos;
  return find_run(kCaseIgnorable, character) != nullptr;
}

bool is_final_sigma(std::span<const char32_t> before, std::span<const char32_t> after) {
  const auto letter_before = std::find_if_not(before.rbegin(), before.rend(), is_case_ignorable);
  if (letter_before == before.rend() || !is_cased(*letter_before)) return false;
  const auto letter_after = std::find_if_not(after.begin(), after.end(), is_case_ignorable);
  return letter_after == after.end() || !is_cased(*letter_after);
}

}  // namespace

char32_t next_character(std::string_view text, size_t& at) {
  const CodePoint character = first_code_point(text.substr(at));
  const char32_t escaped = kByteSurrogates + static_cast<unsigned char>(text[at]);
  at += character.bytes;
  return character.code == kNoCode ? escaped : character.code;
}

void append_character(std::string& text, char32_t character) {
  if (character >= kByteSurrogates && character <= kByteSurrogates + 0xff) {
    text.push_back(static_cast<char>(character - kByteSurrogates));
  } else {
    append_utf8(text, character);
  }
}

CharacterKind kind_of(char32_t character) {
  if (character < 0x80) return kAsciiKinds[character];
  const KindRun* run = find_run(kKinds, character);
  return run ? run->kind : CharacterKind::Other;
}

bool is_space(char32_t character) {
  return is_white_space(character) || is_ascii_separator(character);
}

void split_words(std::string_view text, std::vector<std::string_view>& words) {
  size_t start = 0;
  size_t at = 0;
  const auto end_word = [&](size_t end) {
    if (end > start) words.push_back(text.substr(start, end - start));
  };
  while (at < text.size()) {
    const unsigned char byte = static_cast<unsigned char>(text[at]);
    const size_t before = at;
    // Every white space above ASCII starts with one of these bytes.
    if (byte < 0x80 || (byte != 0xc2 && (byte < 0xe1 || byte > 0xe3))) {
      ++at;
      if (byte >= 0x80 || !is_space(byte)) continue;
    } else if (!is_space(next_character(text, at))) {
      continue;
    }
    end_word(before);
    start = at;
  }
  end_word(text.size());
}

std::string_view trim_end(std::string_view text) {
  while (!text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && text.size() - last < 4 && continues_utf8(text[last])) --last;
    size_t at = last;
    if (!is_space(next_character(text, at)) || at != text.size()) break;
    text = text.substr(0, last);
  }
  return text;
}

std::string_view trim(std::string_view text) {
  text = trim_end(text);
  for (size_t at = 0; !text.empty(); at = 0) {
    if (!is_space(next_character(text, at))) break;
    text.remove_prefix(at);
  }
  return text;
}

std::string lowercase(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    for (const char c : text) lower.push_back(static_cast<char>(simple_lower(static_cast<unsigned char>(c))));
    return lower;
  }
  std::vector<char32_t> characters;
  for (size_t at = 0; at < text.size();) characters.push_back(next_character(text, at));
  const std::span<const char32_t> all = characters;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == kCapitalSigma) {
      append_character(lower, is_final_sigma(all.first(i), all.subspan(i + 1)) ? kFinalSigma : kSmallSigma);
    } else if (all[i] == kCapitalDottedI) {
      lower += "i\u0307";
    } else {
      append_character(lower, simple_lower(all[i]));
    }
  }
  return lower;
}

}  // namespace memsizer::metrics
