#include "text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace memsizer::text {
namespace {

// By the definition, written without a look at the code under test: every code point in its only form.
std::string encoded(char32_t code) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, TakesEveryCodePointAndNoSurrogate) {
  for (char32_t code = 0; code <= 0x10ffff; ++code) {
    const std::string text = encoded(code);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    ASSERT_EQ(valid_utf8(text), !surrogate) << std::hex << static_cast<uint32_t>(code);
    const CodePoint first = first_code_point(text);
    ASSERT_EQ(first.code, surrogate ? kNoCode : code);
    ASSERT_EQ(first.bytes, surrogate ? 1U : text.size());
  }
}

TEST(Utf8, RefusesWhatIsNotText) {
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xfe", "\xff",
        "\xc3", "\xe4\xb8", "\xf0\x9f\x98", "\xc3x", "\xe4xx", "\xf0\x9fxx"}) {
    EXPECT_FALSE(valid_utf8(text)) << ::testing::PrintToString(text);
    EXPECT_FALSE(valid_utf8(std::string("some text before ") + text));
    EXPECT_FALSE(valid_utf8(std::string(text) + " some text behind"));
  }
}

TEST(Utf8, TakesOrdinaryText) {
  EXPECT_TRUE(valid_utf8(""));
  EXPECT_TRUE(valid_utf8(std::string(1, '\0')));
  EXPECT_TRUE(valid_utf8("Zwei junge weiße Männer, 两名, 👩‍👩‍👧, “quoted”"));
  // Around the blocks of eight bytes that ASCII is read in.
  for (size_t before = 0; before < 20; ++before) {
    EXPECT_TRUE(valid_utf8(std::string(before, 'a') + "ß" + std::string(before, 'b')));
    EXPECT_FALSE(valid_utf8(std::string(before, 'a') + "\xff" + std::string(before, 'b')));
    EXPECT_FALSE(valid_utf8(std::string(before, 'a') + "\xc3"));
  }
}

TEST(Utf8, NormalizesSpace) {
  EXPECT_EQ(normalize_space(""), "");
  EXPECT_EQ(normalize_space(" \t\r\n\v\f "), "");
  EXPECT_EQ(normalize_space("a"), "a");
  EXPECT_EQ(normalize_space("  a \t b  "), "a b");
  EXPECT_EQ(normalize_space("a\u00a0b\u3000c\u2009\u2009d\u202fe\u1680f\u2028g\u0085h"), "a b c d e f g h");
}

TEST(Utf8, LeavesWhatIsNoSpace) {
  for (const char* text :
       {"👩\u200d👧", "a\u200bb", "a\ufeffb", "a\u00adb", "a\u180eb", "\xff\xfe", "a\x85z"}) {
    EXPECT_EQ(normalize_space(text), text);
  }
  EXPECT_EQ(normalize_space(" \xff  \xc3 "), "\xff \xc3");
  EXPECT_EQ(normalize_space(std::string(" a\0 b", 5)), std::string("a\0 b", 4));
}

TEST(Utf8, FindsBlankText) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\u3000"));
  EXPECT_FALSE(is_blank("\u200b"));
  EXPECT_FALSE(is_blank(" x "));
  EXPECT_FALSE(is_blank("\xff"));
}

TEST(Utf8, GivesWordsOneByOne) {
  const std::string text = " ein\u00a0Wort \xff";
  size_t position = 0;
  EXPECT_EQ(next_word(text, position), "ein");
  EXPECT_EQ(next_word(text, position), "Wort");
  EXPECT_EQ(next_word(text, position), "\xff");
  EXPECT_EQ(next_word(text, position), "");
  EXPECT_EQ(next_word(text, position), "");
}

TEST(Utf8, CutsBetweenCharacters) {
  EXPECT_EQ(whole_characters("abc", 5), "abc");
  EXPECT_EQ(whole_characters("abc", 2), "ab");
  EXPECT_EQ(whole_characters("", 0), "");
  const std::string text = "aß中👍";  // 1 + 2 + 3 + 4 bytes
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
  for (size_t bytes = 0; bytes <= text.size(); ++bytes)
    EXPECT_EQ(whole_characters(text, bytes), text.substr(0, expected[bytes])) << bytes;
  // Progress is certain even where nothing is text.
  EXPECT_EQ(whole_characters(std::string(100, '\x80'), 10).size(), 10U);
}

}  // namespace
}  // namespace memsizer::text
