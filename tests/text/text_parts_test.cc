#include "text/text_parts.h"

#include <gtest/gtest.h>

#include <string>

#include "core/random.h"

namespace memsizer::text {
namespace {

constexpr PartSizes kSmall = {.part = 10, .word = 6};

// "a b|c" for two parts, "a+b" for a word that goes on.
std::string shown(std::string_view text, PartSizes sizes = kSmall) {
  std::string all;
  for (const TextPart& part : text_parts(text, sizes)) {
    if (!all.empty()) all += part.goes_on ? '+' : '|';
    all += part.text;
  }
  return all;
}

TEST(TextParts, UsualTextIsOnePart) {
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("  "), "  ");
  EXPECT_EQ(shown("the cat"), "the cat");
  const std::string line(2000, 'x');
  EXPECT_EQ(text_parts(line + " " + line).size(), 1U);
}

TEST(TextParts, CutsBeforeWords) {
  EXPECT_EQ(shown("the cat sat on a mat"), "the cat |sat on a |mat");
  EXPECT_EQ(shown("a               b"), "a               |b");
}

TEST(TextParts, CutsThroughLongWords) {
  EXPECT_EQ(shown("a 123456789abcdef b"), "a |123456+789abc+def| b");
  EXPECT_EQ(shown("1234567"), "123456+7");
  // Characters stay whole; what is no character is cut anywhere.
  EXPECT_EQ(shown("日本語日本語"), "日本+語日+本語");
  EXPECT_EQ(shown(std::string(14, '\x80')),
            std::string(6, '\x80') + "+" + std::string(6, '\x80') + "+" + std::string(2, '\x80'));
}

TEST(TextParts, AreTheText) {
  Random random = Random::of(5);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (uint64_t i = random.below(60); i > 0; --i) {
      constexpr std::string_view kPieces[] = {"a", " ", "\t", "é", "\xff", "日", "\xe2\x80\xa8", "\xc3"};
      text += kPieces[random.below(std::size(kPieces))];
    }
    std::string joined;
    for (const TextPart& part : text_parts(text, kSmall)) {
      EXPECT_FALSE(part.text.empty());
      joined += part.text;
    }
    EXPECT_EQ(joined, text);
  }
}

}  // namespace
}  // namespace memsizer::text
