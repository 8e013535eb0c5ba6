#include "metrics/lead.h"

#include <gtest/gtest.h>

namespace memsizer::metrics {
namespace {

using Sentences = std::vector<std::string_view>;

TEST(Lead, EndsSentencesAtStopsBeforeASpace) {
  EXPECT_EQ(sentences_of("One is 3.5 long. Two! Is it three? Yes."),
            (Sentences{"One is 3.5 long.", "Two!", "Is it three?", "Yes."}));
  EXPECT_EQ(sentences_of("He said \"stop.\" Then (he left.) No end"),
            (Sentences{"He said \"stop.\"", "Then (he left.)", "No end"}));
}

TEST(Lead, KeepsAbbreviationsAndInitialsWhole) {
  EXPECT_EQ(sentences_of("As Peng et al. (2021) show, e.g. for J. Smith. Next."),
            (Sentences{"As Peng et al. (2021) show, e.g. for J. Smith.", "Next."}));
  EXPECT_EQ(sentences_of("ends. small letters go on"), (Sentences{"ends. small letters go on"}));
}

TEST(Lead, KnowsLinesTokenisedTextAndWideStops) {
  EXPECT_EQ(sentences_of("a line\nanother\r\n\n  third "), (Sentences{"a line", "another", "third"}));
  EXPECT_EQ(sentences_of("tokenised text . Another one ."), (Sentences{"tokenised text .", "Another one ."}));
  EXPECT_EQ(sentences_of("一个。两个！三"), (Sentences{"一个。", "两个！", "三"}));
}

TEST(Lead, TakesTheFirstAndNoMoreThanThereAre) {
  const std::string text = "One. Two. Three. Four.";
  EXPECT_EQ(lead_sentences(text, 3), "One. Two. Three.");
  EXPECT_EQ(lead_sentences(text, 1), "One.");
  EXPECT_EQ(lead_sentences(text, 9), text);
  EXPECT_EQ(lead_sentences("", 3), "");
}

}  // namespace
}  // namespace memsizer::metrics
