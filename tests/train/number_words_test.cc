#include "train/number_words.h"

#include <gtest/gtest.h>

#include "core/model_config.h"

namespace memsizer::train {
namespace {

TEST(NumberWords, SpellsNumbers) {
  EXPECT_EQ(NumberWords::in_words(0), "zero");
  EXPECT_EQ(NumberWords::in_words(13), "thirteen");
  EXPECT_EQ(NumberWords::in_words(40), "forty");
  EXPECT_EQ(NumberWords::in_words(4271), "four thousand two hundred seventy one");
  EXPECT_EQ(NumberWords::in_words(100000), "one hundred thousand");
  EXPECT_EQ(NumberWords::in_words(NumberWords::kLargest),
            "nine hundred ninety nine thousand nine hundred ninety nine");
}

TEST(NumberWords, RoundTripsThroughTokens) {
  const NumberWords task;
  const std::vector<int64_t> numbers = {7, 20, 999999, 1000};
  const at::Tensor targets = task.targets(numbers);
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(task.text(targets[static_cast<int64_t>(i)]), NumberWords::in_words(numbers[i]));
  }
  const at::Tensor sources = task.sources(numbers);
  EXPECT_EQ(sources[0][0].item<int64_t>(), kPad);
  EXPECT_EQ(sources[0][-1].item<int64_t>(), kEos);
  EXPECT_LT(sources.max().item<int64_t>(), task.vocab());
}

TEST(NumberWords, HoldsOutATenth) {
  int held_out = 0;
  for (int64_t number = 0; number <= NumberWords::kLargest; number += 7)
    held_out += NumberWords::held_out(number) ? 1 : 0;
  EXPECT_NEAR(held_out / (NumberWords::kLargest / 7.0), 0.1, 0.01);
  for (int64_t digit = 0; digit < 10; ++digit) EXPECT_FALSE(NumberWords::held_out(digit));
}

}  // namespace
}  // namespace memsizer::train
