#include "serve/stop_text.h"

#include <gtest/gtest.h>

namespace memsizer::serve {
namespace {

// What comes out of all pieces, with '|' where one call ends.
std::string told(StopText filter, const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += filter.push(piece) + "|";
  return text + filter.finish();
}

TEST(StopText, TextUpToTheFirstStop) {
  EXPECT_EQ(told(StopText({"END"}), {"some ", "E", "N", "D more"}), "some ||||");
  EXPECT_EQ(told(StopText({"END"}), {"some ENDless", "x"}), "some ||");
  EXPECT_EQ(told(StopText({"b", "ab"}), {"xab"}), "x|");
}

TEST(StopText, WhatIsNoStopAfterAllIsTold) {
  EXPECT_EQ(told(StopText({"END"}), {"E", "NE", "x"}), "|EN|Ex|");
  EXPECT_EQ(told(StopText({"aab"}), {"aa", "a", "b"}), "|a||");
  EXPECT_EQ(told(StopText({"END"}), {"the EN"}), "the |EN");
}

TEST(StopText, WithoutStopsNothingIsHeldBack) {
  EXPECT_EQ(told(StopText({}), {"a", "b"}), "a|b|");
}

}  // namespace
}  // namespace memsizer::serve
