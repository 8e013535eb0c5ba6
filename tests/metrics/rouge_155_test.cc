#include "metrics/rouge_155.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using Lines = std::vector<std::string>;

TEST(Rouge155, HasFiveDigits) {
  const Rouge155Score score = rouge_155("a b c", "a x y");
  EXPECT_EQ(score.rouge1.precision, 0.33333);
  EXPECT_EQ(score.rouge1.f1, 0.33333);
  // The F of the rounded numbers: 2/3 and 2/7 give 0.4 exactly, 0.66667 and 0.28571 do not quite.
  const Rouge155Score other = rouge_155("a b c", "a b x y z v w");
  EXPECT_EQ(other.rouge1.precision, 0.66667);
  EXPECT_EQ(other.rouge1.recall, 0.28571);
  EXPECT_EQ(other.rouge1.f1, 0.4);
}

TEST(Rouge155, LIsSummaryLevel) {
  EXPECT_EQ(rouge_155("c d\na b", "a b\nc d").rouge_l.f1, 1.0);
  EXPECT_EQ(rouge_155("c d a b", "a b c d").rouge_l.f1, 0.5);
}

TEST(Rouge155, LowersAsciiOnly) {
  EXPECT_EQ(rouge_155("ABC", "abc").rouge1.f1, 1.0);
  EXPECT_EQ(rouge_155("\u212a", "k").rouge1.f1, 0.0);
}

TEST(Rouge155, StemsItsOwnWay) {
  EXPECT_EQ(rouge_155("flying", "flies", {.stemmer = true}).rouge1.f1, 0.0);
  EXPECT_EQ(rouge_155("studies", "study", {.stemmer = true}).rouge1.f1, 1.0);
}

TEST(Rouge155, CorpusIsTheMean) {
  EXPECT_DOUBLE_EQ(corpus_rouge_155(Lines{"a b", "x"}, Lines{"a c", "y"}).rouge1.f1, 0.25);
  EXPECT_TRUE(testing::has_text(testing::message_of([] { corpus_rouge_155(Lines{"a"}, Lines{}); }),
                                "found 1 hypotheses and 0 references"));
}

TEST(Rouge155, SplitsSentencesAfterLoneFullStops) {
  EXPECT_EQ(split_sentences("a b . c U.S. d . e ."), "a b .\nc U.S. d .\ne .");
  EXPECT_EQ(split_sentences(" . . . "), " .\n. .\n");
  EXPECT_EQ(split_sentences(""), "");
}

}  // namespace
}  // namespace memsizer::metrics
