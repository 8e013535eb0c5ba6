#include "core/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memsizer {
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

std::vector<char32_t> codes_of(std::string_view text) {
  std::vector<char32_t> codes;
  while (!text.empty()) {
    const CodePoint character = first_code_point(text);
    codes.push_back(character.code);
    text.remove_prefix(character.bytes);
  }
  return codes;
}

struct Malformed {
  const char* what;
  std::string text;
};

std::vector<Malformed> malformed_texts() {
  return {{"a continuation without a start", "\x80"},
          {"the last continuation without a start", "\xbf"},
          {"overlong NUL", std::string("\xc0\x80", 2)},
          {"overlong slash of two bytes", "\xc0\xaf"},
          {"the last overlong of two bytes", "\xc1\xbf"},
          {"the first overlong of three bytes", "\xe0\x80\x80"},
          {"the last overlong of three bytes", "\xe0\x9f\xbf"},
          {"the first overlong of four bytes", "\xf0\x80\x80\x80"},
          {"the last overlong of four bytes", "\xf0\x8f\xbf\xbf"},
          {"the first high surrogate", "\xed\xa0\x80"},
          {"the last high surrogate", "\xed\xaf\xbf"},
          {"the first low surrogate", "\xed\xb0\x80"},
          {"the last low surrogate", "\xed\xbf\xbf"},
          {"U+110000", "\xf4\x90\x80\x80"},
          {"a start past U+10FFFF", "\xf5\x80\x80\x80"},
          {"a start of five bytes", "\xf8\x88\x80\x80\x80"},
          {"a start of six bytes", "\xfc\x84\x80\x80\x80\x80"},
          {"0xfe", "\xfe"},
          {"0xff", "\xff"},
          {"one byte of two", "\xc3"},
          {"one byte of three", "\xe4"},
          {"two bytes of three", "\xe4\xb8"},
          {"one byte of four", "\xf0"},
          {"two bytes of four", "\xf0\x9f"},
          {"three bytes of four", "\xf0\x9f\x98"}};
}

TEST(Utf8, EachMalformedByteIsACharacterWithoutACode) {
  for (const auto& [what, text] : malformed_texts()) {
    EXPECT_EQ(codes_of(text), std::vector<char32_t>(text.size(), kNoCode)) << what;
    EXPECT_FALSE(valid_utf8(text)) << what;
    EXPECT_FALSE(valid_utf8("some text before " + text)) << what;
  }
}

TEST(Utf8, WhatFollowsAMalformedSequenceIsReadAsItIs) {
  for (const auto& [what, text] : malformed_texts()) {
    std::vector<char32_t> expected(text.size(), kNoCode);
    expected.push_back(U'x');
    expected.push_back(U'ß');
    EXPECT_EQ(codes_of(text + "xß"), expected) << what;
    EXPECT_FALSE(valid_utf8(text + " some text behind")) << what;
  }
}

TEST(Utf8, AppendsWhatItReads) {
  for (char32_t code = 0; code <= 0x10ffff; ++code) {
    std::string text = "a";
    append_utf8(text, code);
    ASSERT_EQ(text, "a" + encoded(code));
  }
}

TEST(Utf8, KnowsWhiteSpace) {
  for (const char32_t code :
       std::u32string(U" \t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"))
    EXPECT_TRUE(is_white_space(code)) << static_cast<uint32_t>(code);
  for (const char32_t code : std::u32string(U"a0.\u001c\u001f\u200b\u200d\u180e\ufeff"))
    EXPECT_FALSE(is_white_space(code)) << static_cast<uint32_t>(code);
  EXPECT_FALSE(is_white_space(kNoCode));
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
}  // namespace memsizer
