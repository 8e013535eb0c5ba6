#include "metrics/significance.h"

#include <gtest/gtest.h>

#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using Lines = std::vector<std::string>;
using References = std::vector<Lines>;

struct Corpus {
  References references = {{}};
  Lines good;   // every fourth line has an error
  Lines worse;  // every second line has one
};

Corpus corpus() {
  Corpus result;
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i * 7919);
    const std::string right = "the train number " + number + " leaves from platform two at noon";
    const std::string wrong = "the bus number " + number + " goes from platform three at noon";
    result.references[0].push_back(right);
    result.good.push_back(i % 4 == 0 ? wrong : right);
    result.worse.push_back(i % 2 == 0 ? wrong : right);
  }
  return result;
}

TEST(Significance, FindsARealDifference) {
  const Corpus data = corpus();
  const PairedBootstrap result = paired_bootstrap_bleu(data.worse, data.good, data.references);
  EXPECT_LT(result.p_value, 0.01);
  EXPECT_DOUBLE_EQ(result.baseline.score, bleu(data.worse, data.references).score);
  EXPECT_DOUBLE_EQ(result.system.score, bleu(data.good, data.references).score);
  EXPECT_GT(result.system.low, result.baseline.high);
  EXPECT_LT(paired_bootstrap_chrf(data.worse, data.good, data.references).p_value, 0.01);
}

TEST(Significance, FindsNoneWhereErrorsOnlyMoved) {
  const Corpus data = corpus();
  // The same mistakes, one line further down: as good, but not line by line.
  Lines moved;
  for (size_t i = 0; i < data.good.size(); ++i) {
    const bool error = i % 4 == 1;
    moved.push_back(error ? "the bus number " + std::to_string(i * 7919) + " goes from platform three at noon"
                          : data.references[0][i]);
  }
  EXPECT_GT(paired_bootstrap_bleu(data.good, moved, data.references).p_value, 0.05);
}

TEST(Significance, IntervalsHoldTheMean) {
  const Corpus data = corpus();
  const PairedBootstrap result = paired_bootstrap_chrf(data.worse, data.good, data.references);
  for (const BootstrapEstimate& estimate : {result.baseline, result.system}) {
    EXPECT_LT(estimate.low, estimate.mean);
    EXPECT_GT(estimate.high, estimate.mean);
    EXPECT_NEAR(estimate.mean, estimate.score, 1.0);
  }
}

TEST(Significance, IsTheSameForTheSameSeed) {
  const Corpus data = corpus();
  const auto mean = [&](uint64_t seed) {
    return paired_bootstrap_bleu(data.worse, data.good, data.references, {}, {.samples = 50, .seed = seed})
        .system.mean;
  };
  EXPECT_EQ(mean(1), mean(1));
  EXPECT_NE(mean(1), mean(2));
}

TEST(Significance, OneLineAndOneSampleWork) {
  const PairedBootstrap result =
      paired_bootstrap_bleu(Lines{"a b c d"}, Lines{"a b c d"}, References{{"a b c d"}}, {}, {.samples = 1});
  EXPECT_EQ(result.system.low, result.system.high);
  EXPECT_EQ(result.p_value, 0.5);
}

TEST(Significance, RefusesBadInput) {
  using testing::has_text;
  using testing::message_of;
  const Lines one = {"a"};
  const References reference = {{"a"}};
  EXPECT_TRUE(has_text(message_of([&] {
                         paired_bootstrap_bleu(one, Lines{"a", "b"}, reference);
                       }),
                       "pair up"));
  EXPECT_TRUE(has_text(message_of([&] { paired_bootstrap_chrf(Lines{}, one, reference); }), "pair up"));
  for (const int64_t samples : {int64_t{0}, int64_t{-5}, int64_t{1'000'001}}) {
    EXPECT_TRUE(
        has_text(message_of([&] { paired_bootstrap_bleu(one, one, reference, {}, {.samples = samples}); }),
                 "bootstrap samples"));
  }
}

}  // namespace
}  // namespace memsizer::metrics
