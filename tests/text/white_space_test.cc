#include "text/white_space.h"

#include <gtest/gtest.h>

#include <string>

namespace memsizer::text {
namespace {

TEST(WhiteSpace, NormalizesSpace) {
  EXPECT_EQ(normalize_space(""), "");
  EXPECT_EQ(normalize_space(" \t\r\n\v\f "), "");
  EXPECT_EQ(normalize_space("a"), "a");
  EXPECT_EQ(normalize_space("  a \t b  "), "a b");
  EXPECT_EQ(normalize_space("a\u00a0b\u3000c\u2009\u2009d\u202fe\u1680f\u2028g\u0085h"), "a b c d e f g h");
}

TEST(WhiteSpace, LeavesWhatIsNoSpace) {
  for (const char* text :
       {"👩\u200d👧", "a\u200bb", "a\ufeffb", "a\u00adb", "a\u180eb", "\xff\xfe", "a\x85z"}) {
    EXPECT_EQ(normalize_space(text), text);
  }
  EXPECT_EQ(normalize_space(" \xff  \xc3 "), "\xff \xc3");
  EXPECT_EQ(normalize_space(std::string(" a\0 b", 5)), std::string("a\0 b", 4));
}

TEST(WhiteSpace, KeepsTextOnOneLine) {
  EXPECT_EQ(on_one_line("a\nb\r\nc\n"), "a b  c ");
  EXPECT_EQ(on_one_line("a  b\t"), "a  b\t");
}

TEST(WhiteSpace, FindsBlankText) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\u3000"));
  EXPECT_FALSE(is_blank("\u200b"));
  EXPECT_FALSE(is_blank(" x "));
  EXPECT_FALSE(is_blank("\xff"));
}

TEST(WhiteSpace, GivesWordsOneByOne) {
  const std::string text = " ein\u00a0Wort \xff";
  size_t position = 0;
  EXPECT_EQ(next_word(text, position), "ein");
  EXPECT_EQ(next_word(text, position), "Wort");
  EXPECT_EQ(next_word(text, position), "\xff");
  EXPECT_EQ(next_word(text, position), "");
  EXPECT_EQ(next_word(text, position), "");
}

}  // namespace
}  // namespace memsizer::text
