#include "metrics/bleu_tokenizers.h"

#include <gtest/gtest.h>

#include "core/enum_value.h"

namespace memsizer::metrics {
namespace {

std::string v13a(std::string_view line) {
  return tokenized(BleuTokenizer::V13a, line);
}

TEST(BleuTokenizers, NoneOnlySplits) {
  EXPECT_EQ(tokenized(BleuTokenizer::None, "  a,b\u00a0 c. "), "a,b c.");
}

TEST(BleuTokenizers, V13aSeparatesPunctuationUnlessBetweenDigits) {
  EXPECT_EQ(v13a("It's 5:30 p.m., isn't it?"), "It's 5 : 30 p . m . , isn't it ?");
  EXPECT_EQ(v13a("3,5 % of 1.000.000, well."), "3,5 % of 1.000.000 , well .");
  EXPECT_EQ(v13a(".5 5. ,5"), ". 5 5 . , 5");
  EXPECT_EQ(v13a("2-3 a-b -4"), "2 - 3 a-b -4");
  EXPECT_EQ(v13a("wait...,,"), "wait . . . , ,");
}

TEST(BleuTokenizers, V13aUnescapesOnceInOrder) {
  EXPECT_EQ(v13a("&quot;a&quot; &amp;lt; &gt;"), "\" a \" < >");
  EXPECT_EQ(v13a("a <skipped>b"), "a b");
  EXPECT_EQ(v13a("com-\npound and\nline"), "compound and line");
}

TEST(BleuTokenizers, V13aLeavesOtherScriptsTogether) {
  EXPECT_EQ(v13a("„Straße“ — 中文。x,ü"), "„Straße“ — 中文。x , ü");
}

TEST(BleuTokenizers, IntlSeparatesByUnicodeCategory) {
  const auto intl = [](std::string_view line) { return tokenized(BleuTokenizer::Intl, line); };
  EXPECT_EQ(intl("„Straße“ kostet 3,5€…"), "„ Straße “ kostet 3,5 € …");
  EXPECT_EQ(intl("don't a-b"), "don ' t a - b");
  // A full stop between a digit and the end stays, as in mteval-v14.
  EXPECT_EQ(intl("in 1999."), "in 1999.");
  EXPECT_EQ(intl("&quot;"), "& quot ;");
  EXPECT_EQ(intl("\xff,\xfe"), "\xff , \xfe");
}

TEST(BleuTokenizers, ZhSeparatesChineseCharacters) {
  const auto zh = [](std::string_view line) { return tokenized(BleuTokenizer::Zh, line); };
  EXPECT_EQ(zh(" 两个人ok在3.5米。"), "两 个 人 ok 在 3.5 米 。");
  // The table's slip: dashes count as Chinese, extension B does not.
  EXPECT_EQ(zh("a—b"), "a — b");
  EXPECT_EQ(zh("𠀀𠀁"), "𠀀𠀁");
}

TEST(BleuTokenizers, CharSeparatesAll) {
  EXPECT_EQ(tokenized(BleuTokenizer::Char, "ab 中😀"), "a b 中 😀");
}

TEST(BleuTokenizers, LowersFirst) {
  LineTokenizer tokenizer(BleuTokenizer::V13a, true);
  const auto tokens = tokenizer.tokens("ÜBER Alles!");
  EXPECT_EQ((std::vector<std::string>(tokens.begin(), tokens.end())),
            (std::vector<std::string>{"über", "alles", "!"}));
}

TEST(BleuTokenizers, KeepNothingFromLineToLine) {
  LineTokenizer tokenizer(BleuTokenizer::V13a);
  tokenizer.tokens("a long first line, with punctuation.");
  EXPECT_TRUE(tokenizer.tokens("").empty());
  EXPECT_EQ(tokenizer.tokens("b").size(), 1U);
}

TEST(BleuTokenizers, LongHostileLinesTakeLinearTime) {
  std::string escapes;
  for (int i = 0; i < 200'000; ++i) escapes += "&amp;";
  EXPECT_EQ(v13a(escapes).size(), 2U * 200'000 - 1);
  const std::string commas(1'000'000, ',');
  for (const auto tokenizer : {BleuTokenizer::V13a, BleuTokenizer::Intl, BleuTokenizer::Zh}) {
    EXPECT_EQ(tokenized(tokenizer, commas).size(), 2U * commas.size() - 1) << enum_name(tokenizer);
  }
}

}  // namespace
}  // namespace memsizer::metrics
