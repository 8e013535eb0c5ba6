#include "report/word_diff.h"

#include <gtest/gtest.h>

#include <string>

namespace memsizer::report {
namespace {

// Runs as text, with what is not shared in brackets.
std::string marked(const std::vector<WordRun>& runs) {
  std::string text;
  for (const WordRun& run : runs) {
    if (!text.empty()) text += ' ';
    text += run.shared ? run.text : "[" + run.text + "]";
  }
  return text;
}

void expect_diff(const std::string& left, const std::string& right, const std::string& marked_left,
                 const std::string& marked_right) {
  const WordDiff diff = diff_words(left, right);
  EXPECT_EQ(marked(diff.left), marked_left);
  EXPECT_EQ(marked(diff.right), marked_right);
}

TEST(WordDiff, Same) {
  expect_diff("a b c", " a  b\tc\n", "a b c", "a b c");
  expect_diff("", " ", "", "");
}

TEST(WordDiff, OneSideEmpty) {
  expect_diff("a b", "", "[a b]", "");
  expect_diff("", "a b", "", "[a b]");
}

TEST(WordDiff, WordsInTheMiddle) {
  expect_diff("the old man reads", "the young man reads", "the [old] man reads", "the [young] man reads");
  expect_diff("a b c", "a c", "a [b] c", "a c");
  expect_diff("a c", "a b c", "a c", "a [b] c");
}

TEST(WordDiff, KeepsTheLongestCommonPart) {
  expect_diff("x a b c d y", "z a q c d w", "[x] a [b] c d [y]", "[z] a [q] c d [w]");
  expect_diff("a b", "b a", "[a] b", "b [a]");
}

TEST(WordDiff, RepeatedWordsAreNotCountedTwice) {
  expect_diff("a", "a a a", "a", "a [a a]");
}

TEST(WordDiff, HugeTextsKeepStartAndEnd) {
  std::string left = "start";
  std::string right = "start";
  for (int i = 0; i < 20000; ++i) {
    left += " l" + std::to_string(i);
    right += " r" + std::to_string(i);
  }
  const WordDiff diff = diff_words(left + " end", right + " end");
  ASSERT_EQ(diff.left.size(), 3U);
  EXPECT_EQ(diff.left[0].text, "start");
  EXPECT_FALSE(diff.right.at(1).shared);
  EXPECT_EQ(diff.right[2].text, "end");
}

}  // namespace
}  // namespace memsizer::report
