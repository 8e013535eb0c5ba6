#include "metrics/lcs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.h"
#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using Tokens = std::vector<uint32_t>;

std::vector<bool> marks_of(const Tokens& reference, const Tokens& hypothesis, LcsTie tie) {
  std::vector<bool> marks(reference.size());
  mark_lcs(reference, hypothesis, tie, marks);
  return marks;
}

bool is_subsequence(const Tokens& part, const Tokens& whole) {
  size_t at = 0;
  for (const uint32_t token : whole) {
    if (at < part.size() && part[at] == token) ++at;
  }
  return at == part.size();
}

TEST(Lcs, MarksAreACommonSubsequenceOfFullLength) {
  Random random = Random::of(3);
  for (int trial = 0; trial < 500; ++trial) {
    Tokens reference(random.below(30));
    Tokens hypothesis(random.below(30));
    for (Tokens* tokens : {&reference, &hypothesis}) {
      for (uint32_t& token : *tokens) token = static_cast<uint32_t>(random.below(5));
    }
    for (const auto tie : {LcsTie::LeaveReference, LcsTie::LeaveHypothesis}) {
      const std::vector<bool> marks = marks_of(reference, hypothesis, tie);
      Tokens marked;
      for (size_t i = 0; i < marks.size(); ++i) {
        if (marks[i]) marked.push_back(reference[i]);
      }
      ASSERT_EQ(static_cast<int64_t>(marked.size()), lcs_length(reference, hypothesis));
      ASSERT_TRUE(is_subsequence(marked, hypothesis));
    }
  }
}

TEST(Lcs, LengthIsTheLongest) {
  EXPECT_EQ(lcs_length(Tokens{1, 2, 3, 4, 5}, Tokens{2, 9, 4, 5, 1}), 3);
  EXPECT_EQ(lcs_length(Tokens{1, 2}, Tokens{2, 1}), 1);
  EXPECT_EQ(lcs_length(Tokens{}, Tokens{1}), 0);
  EXPECT_EQ(lcs_length(Tokens{1}, Tokens{}), 0);
}

TEST(Lcs, TiesAreBrokenAsAsked) {
  EXPECT_EQ(marks_of({1, 2}, {2, 1}, LcsTie::LeaveReference), (std::vector<bool>{true, false}));
  EXPECT_EQ(marks_of({1, 2}, {2, 1}, LcsTie::LeaveHypothesis), (std::vector<bool>{false, true}));
}

TEST(Lcs, KeepsEarlierMarks) {
  std::vector<bool> marks = {true, false, false};
  mark_lcs(Tokens{1, 2, 3}, Tokens{3}, LcsTie::LeaveReference, marks);
  EXPECT_EQ(marks, (std::vector<bool>{true, false, true}));
}

TEST(Lcs, RefusesTextsThatWouldFillTheMemory) {
  const Tokens endless(100'000);
  std::vector<bool> marks(endless.size());
  const std::string message =
      testing::message_of([&] { mark_lcs(endless, endless, LcsTie::LeaveReference, marks); });
  EXPECT_TRUE(testing::has_text(message, "100000 words"));
  EXPECT_TRUE(testing::has_text(message, "one sentence on a line"));
}

}  // namespace
}  // namespace memsizer::metrics
