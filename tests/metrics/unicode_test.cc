#include "metrics/unicode.h"

#include <gtest/gtest.h>

namespace memsizer::metrics {
namespace {

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> result;
  for (size_t at = 0; at < text.size();) result.push_back(next_character(text, at));
  return result;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string_view> views;
  split_words(text, views);
  return {views.begin(), views.end()};
}

TEST(Unicode, DecodesEachLength) {
  EXPECT_EQ(characters("aß中😀"), (std::vector<char32_t>{U'a', U'ß', U'中', U'😀'}));
}

TEST(Unicode, EveryCharacterComesBack) {
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x3000 ? 1 : 97) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    std::string text;
    append_character(text, c);
    ASSERT_EQ(characters(text), std::vector<char32_t>{c});
  }
}

TEST(Unicode, BrokenBytesComeBackAsTheyWere) {
  // A lone continuation, a cut sequence, overlong forms, a surrogate, past the last character, 0xff.
  for (const std::string_view text :
       {"\x80", "a\xe4\xb8", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff\xfe z"}) {
    std::string back;
    for (const char32_t c : characters(text)) append_character(back, c);
    EXPECT_EQ(back, text);
  }
  EXPECT_EQ(characters("\xe4\xb8"
                       "a"),
            (std::vector<char32_t>{0xdce4, 0xdcb8, U'a'}));
}

TEST(Unicode, KindsOfCharacters) {
  EXPECT_EQ(kind_of('7'), CharacterKind::Number);
  EXPECT_EQ(kind_of(U'½'), CharacterKind::Number);
  EXPECT_EQ(kind_of('%'), CharacterKind::Punctuation);
  EXPECT_EQ(kind_of('_'), CharacterKind::Punctuation);
  EXPECT_EQ(kind_of(U'。'), CharacterKind::Punctuation);
  EXPECT_EQ(kind_of('$'), CharacterKind::Symbol);
  EXPECT_EQ(kind_of(U'€'), CharacterKind::Symbol);
  EXPECT_EQ(kind_of(U'😀'), CharacterKind::Symbol);
  EXPECT_EQ(kind_of('a'), CharacterKind::Other);
  EXPECT_EQ(kind_of(' '), CharacterKind::Other);
  EXPECT_EQ(kind_of(U'ß'), CharacterKind::Other);
  EXPECT_EQ(kind_of(0x10ffff), CharacterKind::Other);
}

TEST(Unicode, SplitsAtAllWhiteSpace) {
  EXPECT_EQ(words(" a\tb\u00a0c\u3000d\u2028e\x1c"
                  "f\u0085g \n"),
            (std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g"}));
  EXPECT_EQ(words("no\u200bbreak \u00c2\u00e2"), (std::vector<std::string>{"no\u200bbreak", "\u00c2\u00e2"}));
  EXPECT_TRUE(words("").empty());
  EXPECT_TRUE(words(" \u2003 ").empty());
  EXPECT_EQ(words("\xe2\x80 x"), (std::vector<std::string>{"\xe2\x80", "x"}));
}

TEST(Unicode, Trims) {
  EXPECT_EQ(trim_end(" a b \u3000\n"), " a b");
  EXPECT_EQ(trim("\u00a0 a b \u3000\n"), "a b");
  EXPECT_EQ(trim(" \u3000 "), "");
  EXPECT_EQ(trim_end(""), "");
  EXPECT_EQ(trim_end("a\x80\x80\x80\x80"), "a\x80\x80\x80\x80");
  EXPECT_EQ(trim_end("a\xe3\x80"), "a\xe3\x80");
}

TEST(Unicode, LowersLikePython) {
  EXPECT_EQ(lowercase("ABC xyz 1"), "abc xyz 1");
  EXPECT_EQ(lowercase("ÄÖÜ ẞ ЖЯ Ǆ"), "äöü ß жя ǆ");
  EXPECT_EQ(lowercase("İ"), "i\u0307");
  EXPECT_EQ(lowercase("\u212a"), "k");
  EXPECT_EQ(lowercase("Ā ā Ă ă"), "ā ā ă ă");
  EXPECT_EQ(lowercase("\xff"
                      "A"),
            "\xff"
            "a");
}

TEST(Unicode, LowersSigmaByItsPlace) {
  EXPECT_EQ(lowercase("ΟΔΟΣ ΣΑΣ"), "οδος σας");
  EXPECT_EQ(lowercase("Σ"), "σ");
  EXPECT_EQ(lowercase("ΑΣ'Α ΑΣ. Α'Σ .Σ"), "ασ'α ας. α'ς .σ");
}

}  // namespace
}  // namespace memsizer::metrics
