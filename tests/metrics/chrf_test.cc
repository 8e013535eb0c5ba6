#include "metrics/chrf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using testing::has_text;
using testing::message_of;
using Lines = std::vector<std::string>;
using References = std::vector<Lines>;

const Lines kHypotheses = {"The cat, sat on the mat.", "Zwei Männer (jung) stehen."};
const References kReferences = {{"A cat sat on the mat!", "Zwei junge Männer stehen da."},
                                {"The cat was sitting.", "Zwei Männer stehen."}};

// The expected numbers are sacreBLEU 2.6.0's.
TEST(Chrf, AgreesWithSacrebleu) {
  const References first = {kReferences[0]};
  EXPECT_DOUBLE_EQ(chrf(kHypotheses, first), 54.46153457240017);
  EXPECT_DOUBLE_EQ(chrf(kHypotheses, first, {.word_order = 2}), 52.718017856410086);
  EXPECT_DOUBLE_EQ(chrf(kHypotheses, kReferences, {.word_order = 2}), 69.24024161914059);
  EXPECT_DOUBLE_EQ(
      chrf(kHypotheses, kReferences, {.char_order = 3, .word_order = 2, .beta = 1.0, .lowercase = true}),
      69.40447247867246);
}

TEST(Chrf, LeavesOutOrdersThatNobodyHas) {
  EXPECT_DOUBLE_EQ(chrf(Lines{"ab"}, References{{"abc"}}), 63.636363636363626);
  EXPECT_DOUBLE_EQ(chrf(Lines{"a"}, References{{"a"}}), 100.0);
}

TEST(Chrf, IgnoresWhiteSpaceOfAnyKind) {
  EXPECT_DOUBLE_EQ(chrf(Lines{"a b\u3000c"}, References{{"abc"}}), 100.0);
}

TEST(Chrf, EmptyTextsScoreNothing) {
  EXPECT_EQ(chrf(Lines{""}, References{{"abc"}}), 0.0);
  EXPECT_EQ(chrf(Lines{"abc"}, References{{""}}), 0.0);
  EXPECT_EQ(chrf(Lines{" "}, References{{""}}, {.word_order = 2}), 0.0);
}

TEST(Chrf, BrokenTextIsScored) {
  EXPECT_DOUBLE_EQ(chrf(Lines{"\xff\x80 \xe4"}, References{{"\xff\x80 \xe4"}}, {.lowercase = true}), 100.0);
}

TEST(Chrf, RefusesBadInput) {
  const Lines one = {"a"};
  const References reference = {{"a"}};
  EXPECT_TRUE(has_text(message_of([&] { chrf(one, References{{"a", "b"}}); }), "pair up line by line"));
  EXPECT_TRUE(has_text(message_of([&] { chrf(one, References{}); }), "no reference set"));
  EXPECT_TRUE(
      has_text(message_of([&] { chrf(one, reference, {.char_order = -1}); }), "character order of -1"));
  EXPECT_TRUE(has_text(message_of([&] { chrf(one, reference, {.word_order = 101}); }), "word order of 101"));
  EXPECT_TRUE(has_text(message_of([&] { chrf(one, reference, {.char_order = 0}); }), "at least one"));
  EXPECT_TRUE(has_text(message_of([&] { chrf(one, reference, {.beta = 0.0}); }), "beta of 0"));
  EXPECT_TRUE(has_text(message_of([&] { chrf(one, reference, {.beta = std::nan("")}); }), "beta of nan"));
}

}  // namespace
}  // namespace memsizer::metrics
