#include "metrics/rouge.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using Lines = std::vector<std::string>;

TEST(Rouge, CountsClippedNgrams) {
  const RougeScore score = rouge("the the cat", "the cat sat on the mat");
  EXPECT_DOUBLE_EQ(score.rouge1.precision, 1.0);
  EXPECT_DOUBLE_EQ(score.rouge1.recall, 0.5);
  EXPECT_DOUBLE_EQ(score.rouge1.f1, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score.rouge2.precision, 0.5);
  EXPECT_DOUBLE_EQ(score.rouge2.recall, 0.2);
}

TEST(Rouge, WordsAreAsciiLettersAndDigits) {
  EXPECT_DOUBLE_EQ(rouge("U.S.-led, 1,200", "u s led 1 200").rouge2.f1, 1.0);
  EXPECT_DOUBLE_EQ(rouge("Zürich", "z rich").rouge1.f1, 1.0);
  // Lower case comes first, and the Kelvin sign has an ASCII one.
  EXPECT_DOUBLE_EQ(rouge("\u212a", "k").rouge1.f1, 1.0);
}

TEST(Rouge, LsumTakesTheUnionOverLines) {
  // The example of Lin (2004), section 3.2: the union is w1 w2 w3 w5.
  const RougeScore score = rouge("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5");
  EXPECT_DOUBLE_EQ(score.rouge_l_sum.recall, 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(score.rouge_l_sum.precision, 4.0 / 10.0);
  EXPECT_DOUBLE_EQ(score.rouge_l.recall, 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(rouge("c d\na b", "a b\nc d").rouge_l_sum.f1, 1.0);
  EXPECT_DOUBLE_EQ(rouge("c d\na b", "a b\nc d").rouge_l.f1, 0.5);
}

TEST(Rouge, LsumCountsNoWordTwice) {
  EXPECT_DOUBLE_EQ(rouge("a", "a\na\na").rouge_l_sum.precision, 1.0);
  EXPECT_DOUBLE_EQ(rouge("a", "a\na\na").rouge_l_sum.recall, 1.0 / 3.0);
}

TEST(Rouge, StemsOnlyWordsOfFourLettersAndMore) {
  EXPECT_DOUBLE_EQ(rouge("runs", "running", {.stemmer = true}).rouge1.f1, 1.0);
  EXPECT_DOUBLE_EQ(rouge("ins", "in", {.stemmer = true}).rouge1.f1, 0.0);
  EXPECT_DOUBLE_EQ(rouge("runs", "running").rouge1.f1, 0.0);
}

TEST(Rouge, EmptySidesScoreNothing) {
  for (const auto& [hypothesis, reference] :
       {std::pair{"", "a"}, std::pair{"a", ""}, std::pair{"", ""}, std::pair{"\n\n", "..."}}) {
    const RougeScore score = rouge(hypothesis, reference, {.stemmer = true});
    for (const RougeValue& value : {score.rouge1, score.rouge2, score.rouge_l, score.rouge_l_sum}) {
      EXPECT_EQ(value.precision, 0.0);
      EXPECT_EQ(value.recall, 0.0);
      EXPECT_EQ(value.f1, 0.0);
    }
  }
}

TEST(Rouge, CorpusIsTheMean) {
  const RougeScore mean = corpus_rouge(Lines{"a b", "x"}, Lines{"a c", "y"});
  EXPECT_DOUBLE_EQ(mean.rouge1.f1, 0.25);
  EXPECT_DOUBLE_EQ(mean.rouge_l_sum.precision, 0.25);
}

TEST(Rouge, RefusesWhatDoesNotPairUp) {
  EXPECT_EQ(testing::message_of([] {
              corpus_rouge(Lines{"a"}, Lines{"a", "b", "c"});
            }),
            "found 1 hypotheses and 3 references; they must pair up line by line");
  EXPECT_TRUE(testing::has_text(testing::message_of([] { corpus_rouge(Lines{}, Lines{}); }), "no lines"));
}

}  // namespace
}  // namespace memsizer::metrics
