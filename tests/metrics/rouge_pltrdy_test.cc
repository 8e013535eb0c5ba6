#include "metrics/rouge_pltrdy.h"

#include <gtest/gtest.h>

#include "support/messages.h"

namespace memsizer::metrics {
namespace {

TEST(RougePltrdy, CountsEachNgramOnce) {
  const PltrdyRougeScore score = rouge_pltrdy("the the the the", "the cat sat on the mat");
  EXPECT_DOUBLE_EQ(score.rouge1.precision, 1.0);
  EXPECT_DOUBLE_EQ(score.rouge1.recall, 0.2);
  EXPECT_DOUBLE_EQ(score.rouge_l.recall, 0.2);
  EXPECT_DOUBLE_EQ(score.rouge2.f1, 0.0);
}

TEST(RougePltrdy, KeepsCaseAndPunctuation) {
  EXPECT_DOUBLE_EQ(rouge_pltrdy("Cat", "cat").rouge1.f1, 0.0);
  EXPECT_DOUBLE_EQ(rouge_pltrdy("cat,", "cat").rouge1.f1, 0.0);
}

TEST(RougePltrdy, BlankSentencesHoldAnEmptyWord) {
  EXPECT_DOUBLE_EQ(rouge_pltrdy("a. ", "a").rouge1.precision, 0.5);
  EXPECT_DOUBLE_EQ(rouge_pltrdy("a.", "a").rouge1.precision, 1.0);
}

TEST(RougePltrdy, RefusesEmptySides) {
  for (const char* empty : {"", ".", "..."}) {
    EXPECT_TRUE(testing::has_text(testing::message_of([&] { rouge_pltrdy(empty, "a"); }),
                                  "found a hypothesis without any sentence"));
    EXPECT_TRUE(testing::has_text(testing::message_of([&] { rouge_pltrdy("a", empty); }),
                                  "found a reference without any sentence"));
  }
}

}  // namespace
}  // namespace memsizer::metrics
