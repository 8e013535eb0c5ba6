#include <gtest/gtest.h>

#include "metrics/bleu.h"
#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using testing::has_text;
using testing::message_of;
using Lines = std::vector<std::string>;
using References = std::vector<Lines>;

TEST(MultiBleu, TakesWordsAsTheyStand) {
  const BleuScore score = multi_bleu(Lines{"A b, c d e."}, References{{"a b, c d e."}});
  EXPECT_EQ(score.matches, (std::array<int64_t, 4>{4, 3, 2, 1}));
  EXPECT_EQ(score.hypothesis_length, 5);
}

TEST(MultiBleu, SplitsAtAsciiWhiteSpaceOnly) {
  EXPECT_EQ(multi_bleu(Lines{" a\tb\u00a0c\r"}, References{{"x"}}).hypothesis_length, 2);
}

TEST(MultiBleu, AnyZeroPrecisionIsZero) {
  EXPECT_EQ(multi_bleu(Lines{"a b c"}, References{{"a b c"}}).score, 0.0);
}

TEST(MultiBleu, RoundsLikeTheScript) {
  // 23 of 80 is just below 28.75 % as the script computes it.
  std::string hypothesis;
  std::string reference;
  for (int i = 0; i < 80; ++i) {
    hypothesis += "w" + std::to_string(i) + " ";
    reference += (i < 23 ? "w" : "v") + std::to_string(i) + " ";
  }
  EXPECT_TRUE(has_text(format_multi_bleu(multi_bleu(Lines{hypothesis}, References{{reference}})), ", 28.7/"));
}

TEST(MultiBleu, NothingToCompareWith) {
  EXPECT_EQ(format_multi_bleu(multi_bleu(Lines{"a"}, References{{""}})),
            "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)");
  EXPECT_EQ(format_multi_bleu(multi_bleu(Lines{""}, References{{"a"}})),
            "BLEU = 0.00, 0.0/0.0/0.0/0.0 (BP=0.000, ratio=0.000, hyp_len=0, ref_len=1)");
}

TEST(MultiBleu, RefusesWhatDoesNotPairUp) {
  EXPECT_TRUE(has_text(message_of([] { multi_bleu(Lines{"a"}, References{{"a", "b"}}); }), "pair up"));
}

}  // namespace
}  // namespace memsizer::metrics
