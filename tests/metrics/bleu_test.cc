#include "metrics/bleu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using testing::has_text;
using testing::message_of;
using Lines = std::vector<std::string>;
using References = std::vector<Lines>;

TEST(Bleu, RefusesWhatDoesNotPairUp) {
  EXPECT_EQ(message_of([] {
              bleu(Lines{"a", "b"}, References{{"a"}});
            }),
            "found 2 hypotheses and 1 references; they must pair up line by line");
  EXPECT_TRUE(has_text(message_of([] { bleu(Lines{"a"}, References{{"a"}, {}}); }), "and 0 references"));
  EXPECT_TRUE(has_text(message_of([] { bleu(Lines{"a"}, References{}); }), "no reference set"));
  EXPECT_TRUE(has_text(message_of([] { bleu(Lines{}, References{{}}); }), "no lines"));
}

TEST(Bleu, RefusesBadSmoothing) {
  for (const double value : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const BleuOptions options = {.smoothing = BleuSmoothing::Floor, .smoothing_value = value};
    EXPECT_TRUE(
        has_text(message_of([&] { bleu(Lines{"a"}, References{{"a"}}, options); }), "smoothing value"));
  }
}

TEST(Bleu, TakesTheNearestLengthAndOfTwoTheShorter) {
  const Lines hypothesis = {"a b c d e"};
  EXPECT_EQ(bleu(hypothesis, References{{"a b c d e f g"}, {"a b c d"}}).reference_length, 4);
  EXPECT_EQ(bleu(hypothesis, References{{"a b c d e f"}, {"a b c d"}}).reference_length, 4);
  EXPECT_EQ(bleu(hypothesis, References{{"a b c d"}, {"a b c d e f"}}).reference_length, 4);
}

TEST(Bleu, CountsAgainstTheBestOfTheReferences) {
  const BleuScore score = bleu(Lines{"x x x y"}, References{{"x x z"}, {"x y y"}});
  EXPECT_EQ(score.matches, (std::array<int64_t, 4>{3, 2, 0, 0}));
  EXPECT_EQ(score.totals, (std::array<int64_t, 4>{4, 3, 2, 1}));
}

TEST(Bleu, SmoothsZeroPrecisions) {
  const Lines hypothesis = {"a b c x e f"};
  const References reference = {{"a b c d e f"}};
  const auto precisions = [&](BleuSmoothing smoothing, double value = 0.0) {
    return bleu(hypothesis, reference, {.smoothing = smoothing, .smoothing_value = value}).precisions;
  };
  EXPECT_DOUBLE_EQ(precisions(BleuSmoothing::None)[3], 0.0);
  EXPECT_DOUBLE_EQ(precisions(BleuSmoothing::Exp)[3], 100.0 / (2.0 * 3.0));
  EXPECT_DOUBLE_EQ(precisions(BleuSmoothing::Floor)[3], 100.0 * 0.1 / 3.0);
  EXPECT_DOUBLE_EQ(precisions(BleuSmoothing::Floor, 0.5)[3], 100.0 * 0.5 / 3.0);
  EXPECT_DOUBLE_EQ(precisions(BleuSmoothing::AddK)[3], 100.0 / 4.0);
  EXPECT_DOUBLE_EQ(precisions(BleuSmoothing::AddK)[0], 100.0 * 5.0 / 6.0);
}

TEST(Bleu, EffectiveOrderScoresShortLines) {
  EXPECT_EQ(bleu(Lines{"a b"}, References{{"a b"}}).score, 0.0);
  EXPECT_NEAR(bleu(Lines{"a b"}, References{{"a b"}}, {.effective_order = true}).score, 100.0, 1e-9);
}

TEST(Bleu, NoSmoothingMakesSomethingOfNothing) {
  for (const auto smoothing : {BleuSmoothing::Exp, BleuSmoothing::Floor, BleuSmoothing::AddK}) {
    EXPECT_EQ(bleu(Lines{"a b c d e"}, References{{"v w x y z"}}, {.smoothing = smoothing}).score, 0.0);
  }
  const BleuScore empty = bleu(Lines{""}, References{{"a"}});
  EXPECT_EQ(empty.score, 0.0);
  EXPECT_EQ(empty.brevity_penalty, 0.0);
  EXPECT_EQ(bleu(Lines{""}, References{{""}}).brevity_penalty, 1.0);
}

TEST(Bleu, BrokenTextIsScored) {
  for (const auto tokenizer : {BleuTokenizer::None, BleuTokenizer::V13a, BleuTokenizer::Intl,
                               BleuTokenizer::Zh, BleuTokenizer::Char}) {
    const Lines line = {std::string("\xff\xfe a\0b \xe4\xb8 c\x80 d", 15)};
    EXPECT_GT(bleu(line, References{line}, {.tokenizer = tokenizer, .lowercase = true}).score, 99.0);
  }
}

TEST(Bleu, Signature) {
  EXPECT_EQ(signature({}, 1), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
  EXPECT_EQ(signature({.tokenizer = BleuTokenizer::Intl,
                       .smoothing = BleuSmoothing::Floor,
                       .lowercase = true,
                       .effective_order = true},
                      2),
            "nrefs:2|case:lc|eff:yes|tok:intl|smooth:floor[0.10]");
  EXPECT_EQ(
      signature({.tokenizer = BleuTokenizer::Zh, .smoothing = BleuSmoothing::AddK, .smoothing_value = 2.5},
                1),
      "nrefs:1|case:mixed|eff:no|tok:zh|smooth:add-k[2.50]");
}

TEST(Bleu, Line) {
  const BleuScore score = bleu(Lines{"", "there is a cat on the mat today ."},
                               References{{"the dog barked loudly .", "there is a cat on the mat now ."}});
  EXPECT_EQ(format_bleu(score),
            "BLEU = 43.07 88.9/75.0/71.4/66.7 (BP = 0.574 ratio = 0.643 hyp_len = 9 ref_len = 14)");
}

}  // namespace
}  // namespace memsizer::metrics
