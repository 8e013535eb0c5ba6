#include "demo/set_aside.h"

#include <gtest/gtest.h>

#include <string>

#include "demo/lexicon.h"

namespace memsizer::demo {
namespace {

TEST(SetAside, AboutOneInTen) {
  int chosen = 0;
  constexpr int kTried = 10000;
  for (int i = 0; i < kTried; ++i)
    chosen += set_aside(Combination::VerbObject, std::to_string(i % 100), std::to_string(i / 100)) ? 1 : 0;
  EXPECT_GT(chosen, kTried / 10 - 150);
  EXPECT_LT(chosen, kTried / 10 + 150);
}

TEST(SetAside, DependsOnEachPart) {
  int kinds = 0;
  int swapped = 0;
  int joined = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string a = "a" + std::to_string(i);
    const std::string b = "b" + std::to_string(i * 7);
    const bool chosen = set_aside(Combination::AdjectiveNoun, a, b);
    kinds += chosen != set_aside(Combination::DayMonth, a, b) ? 1 : 0;
    swapped += chosen != set_aside(Combination::AdjectiveNoun, b, a) ? 1 : 0;
    joined += chosen != set_aside(Combination::AdjectiveNoun, a + b, "") ? 1 : 0;
  }
  EXPECT_GT(kinds, 100);
  EXPECT_GT(swapped, 100);
  EXPECT_GT(joined, 100);
}

// A verb whose objects were mostly set aside would hardly be met in training; so with adjectives.
TEST(SetAside, LeavesEveryWordMostOfItsPartners) {
  for (const Verb& verb : verbs()) {
    if (verb.objects == 0) continue;
    int all = 0;
    int left = 0;
    for (const Noun& noun : nouns()) {
      if (!(noun.kinds & verb.objects)) continue;
      ++all;
      left += set_aside(Combination::VerbObject, verb.english.base, noun.english) ? 0 : 1;
    }
    EXPECT_GE(3 * left, 2 * all) << verb.english.base;
  }
  for (const Adjective& adjective : adjectives()) {
    int all = 0;
    int left = 0;
    for (const Noun& noun : nouns()) {
      if (!(noun.kinds & adjective.kinds)) continue;
      ++all;
      left += set_aside(Combination::AdjectiveNoun, adjective.english, noun.english) ? 0 : 1;
    }
    EXPECT_GE(3 * left, 2 * all) << adjective.english;
  }
}

}  // namespace
}  // namespace memsizer::demo
