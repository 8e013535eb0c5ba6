#include "decode/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/special_tokens.h"
#include "core/random.h"
#include "decode/hash_model.h"
#include "support/messages.h"

namespace memsizer::decode {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;
using testing::HashModel;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr auto kEnd = static_cast<int32_t>(kEos);

// The same logits at every step, for every row.
class ConstantModel : public StepModel {
 public:
  ConstantModel(std::vector<float> logits, size_t rows) : logits_(std::move(logits)), rows_(rows) {}

  int64_t vocab() const override { return static_cast<int64_t>(logits_.size()); }
  void reorder(std::span<const int64_t> parents) override { rows_ = parents.size(); }
  std::span<float> advance(std::span<const int32_t>) override {
    buffer_.clear();
    for (size_t i = 0; i < rows_; ++i) buffer_.insert(buffer_.end(), logits_.begin(), logits_.end());
    return buffer_;
  }

 private:
  std::vector<float> logits_;
  size_t rows_;
  std::vector<float> buffer_;
};

// How often each token comes, as a share, over many streams of one token.
std::vector<double> shares(const std::vector<float>& logits, SamplingOptions options, size_t draws = 40000) {
  options.max_length_ratio = 0.0;
  options.max_length = 1;
  std::vector<SampleRequest> requests(draws);
  for (size_t i = 0; i < draws; ++i) requests[i].stream = i;
  ConstantModel model(logits, draws);
  std::vector<double> counts(logits.size());
  for (const Sample& drawn : sample(model, requests, options)) {
    counts.at(static_cast<size_t>(drawn.tokens.at(0))) += 1.0 / static_cast<double>(draws);
  }
  return counts;
}

void expect_shares(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (expected[i] == 0.0) {
      EXPECT_EQ(found[i], 0.0) << "token " << i;
    }
    EXPECT_NEAR(found[i], expected[i], 0.015) << "token " << i;
  }
}

float log_of(double probability) {
  return static_cast<float>(std::log(probability));
}

// Probabilities 0.4 (4), 0.3 (5), 0.2 (6), 0.1 (7).
const std::vector<float> kFour = {-kInfinity,  -kInfinity,  -kInfinity,  -kInfinity,
                                  log_of(0.4), log_of(0.3), log_of(0.2), log_of(0.1)};

TEST(Sample, DrawsByProbability) {
  expect_shares(shares(kFour, {}), {0, 0, 0, 0, 0.4, 0.3, 0.2, 0.1});
}

TEST(Sample, Temperature) {
  expect_shares(shares(kFour, {.temperature = 0.5}),
                {0, 0, 0, 0, 0.16 / 0.3, 0.09 / 0.3, 0.04 / 0.3, 0.01 / 0.3});
}

TEST(Sample, TopK) {
  expect_shares(shares(kFour, {.top_k = 2}), {0, 0, 0, 0, 4.0 / 7, 3.0 / 7, 0, 0});
  expect_shares(shares(kFour, {.top_k = 1}), {0, 0, 0, 0, 1, 0, 0, 0});
  expect_shares(shares(kFour, {.top_k = 1000000}), {0, 0, 0, 0, 0.4, 0.3, 0.2, 0.1});
}

TEST(Sample, TopP) {
  expect_shares(shares(kFour, {.top_p = 0.65}), {0, 0, 0, 0, 4.0 / 7, 3.0 / 7, 0, 0});
  expect_shares(shares(kFour, {.top_p = 0.75}), {0, 0, 0, 0, 4.0 / 9, 3.0 / 9, 2.0 / 9, 0});
  expect_shares(shares(kFour, {.top_p = 1e-9}), {0, 0, 0, 0, 1, 0, 0, 0});
}

TEST(Sample, TopPIsOfWhatTopKLeaves) {
  // Of 4/7 and 3/7 the first suffices for half, though it has 0.4 only.
  expect_shares(shares(kFour, {.top_k = 2, .top_p = 0.5}), {0, 0, 0, 0, 1, 0, 0, 0});
}

TEST(Sample, TopPOverManyTokens) {
  // 1000 equal tokens: more than the first guess of how many are enough.
  std::vector<float> logits(1004, 0.0F);
  std::fill_n(logits.begin(), 4, -kInfinity);
  const auto found = shares(logits, {.top_p = 0.9}, 4000);
  const auto drawn = std::ranges::count_if(found, [](double share) { return share > 0.0; });
  EXPECT_GT(drawn, 850);
  // The first 900 of them, give or take one for rounding.
  for (size_t token = 905; token < logits.size(); ++token) EXPECT_EQ(found[token], 0.0) << token;
}

TEST(Sample, TopPLeavesWhatASortWould) {
  Random random{5};
  for (const double top_p : {0.05, 0.5, 0.8, 0.99}) {
    std::vector<float> logits(700);
    for (float& logit : logits) logit = static_cast<float>(2.0 * random.uniform());
    std::fill_n(logits.begin(), 4, -kInfinity);
    const auto found = shares(logits, {.top_p = top_p}, 3000);
    std::vector<float> sorted = logits;
    std::ranges::sort(sorted, std::ranges::greater{});
    double all = 0.0;
    for (const float logit : sorted) all += std::exp(static_cast<double>(logit));
    double kept = 0.0;
    size_t last = 0;
    for (; kept < top_p * all; ++last) kept += std::exp(static_cast<double>(sorted[last]));
    // Each of the nucleus has its share, and nothing else has any.
    const float cut = sorted[last - 1];
    double outside = 0.0;
    double lower_half = 0.0;
    for (size_t token = 0; token < logits.size(); ++token) {
      if (logits[token] < cut) outside += found[token];
      if (logits[token] >= cut && logits[token] < sorted[last / 2]) lower_half += found[token];
    }
    EXPECT_EQ(outside, 0.0) << top_p;
    double expected = 0.0;
    for (size_t i = last / 2 + 1; i < last; ++i) expected += std::exp(static_cast<double>(sorted[i])) / kept;
    EXPECT_NEAR(lower_half, expected, 0.04) << top_p;
  }
}

TEST(Sample, PaddingIsNeverDrawn) {
  std::vector<float> logits(6, 0.0F);
  logits[kPad] = 50.0F;
  EXPECT_EQ(shares(logits, {})[kPad], 0.0);
}

TEST(Sample, RepetitionPenaltyMakesSeenTokensLessLikely) {
  ConstantModel model({-kInfinity, -kInfinity, -kInfinity, -kInfinity, 2.0F, 1.5F, -1.0F}, 1);
  SamplingOptions options;
  options.top_k = 1;
  options.repetition_penalty = 2.0;
  options.max_length = 4;
  // 2 -> 1, so 1.5 is next; then 1.5 -> 0.75, and 1 is the largest for good.
  EXPECT_EQ(sample(model, {SampleRequest{}}, options)[0].tokens, (std::vector<int32_t>{4, 5, 4, 4}));
}

TEST(Sample, NoNgramTwice) {
  ConstantModel model({-kInfinity, -kInfinity, -kInfinity, -kInfinity, 2.0F, 1.0F}, 1);
  SamplingOptions options;
  options.top_k = 1;
  options.no_repeat_ngram = 2;
  options.max_length = 100;
  const auto found = sample(model, {SampleRequest{}}, options)[0];
  EXPECT_EQ(found.tokens, (std::vector<int32_t>{4, 4, 5, 4}));
  EXPECT_EQ(found.finish, Finish::NoTokens);
}

TEST(Sample, EndsByTokenOrLength) {
  std::vector<float> logits(6, -kInfinity);
  logits[kEos] = 0.0F;
  ConstantModel ends(logits, 1);
  const auto ended = sample(ends, {SampleRequest{}}, {})[0];
  EXPECT_EQ(ended.tokens, std::vector<int32_t>{kEnd});
  EXPECT_EQ(ended.finish, Finish::End);

  logits[5] = -20.0F;
  ConstantModel waits(logits, 1);
  SamplingOptions options;
  options.min_length = 3;
  options.max_length = 10;
  EXPECT_EQ(sample(waits, {SampleRequest{}}, options)[0].tokens, (std::vector<int32_t>{5, 5, 5, kEnd}));

  options.max_length = 2;
  ConstantModel cut(logits, 1);
  const auto short_one = sample(cut, {SampleRequest{}}, options)[0];
  EXPECT_EQ(short_one.tokens, (std::vector<int32_t>{5, 5}));
  EXPECT_EQ(short_one.finish, Finish::Length);
}

TEST(Sample, NoRoomForATokenTakesNoStep) {
  HashModel model({.vocab = 9}, {1, 2});
  const auto found = sample(model, {SampleRequest{}, SampleRequest{}}, {}, 1);
  EXPECT_TRUE(found.at(0).tokens.empty());
  EXPECT_EQ(found.at(0).finish, Finish::Length);
  EXPECT_TRUE(model.rows_of_steps().empty());
}

TEST(Sample, ForcedTokensComeFirstAndAreNotTold) {
  HashModel model({.vocab = 20, .end_bias = -100.0}, {1});
  SampleRequest request;
  request.prefix = {7, static_cast<int32_t>(kPad), 9};
  SamplingOptions options;
  options.max_length_ratio = 0.0;
  options.max_length = 6;
  std::vector<int32_t> told;
  const auto found = sample(model, {request}, options, 0, [&](size_t, int32_t token) {
    told.push_back(token);
    return true;
  })[0];
  ASSERT_EQ(found.tokens.size(), 6U);
  EXPECT_EQ(found.tokens[0], 7);
  EXPECT_EQ(found.tokens[2], 9);
  EXPECT_EQ(found.token_scores.size(), 6U);
  EXPECT_EQ(told, (std::vector<int32_t>{found.tokens[1], found.tokens[3], found.tokens[4], found.tokens[5]}));
}

TEST(Sample, TheCallbackStopsOneRequestOnly) {
  HashModel model({.vocab = 20, .end_bias = -100.0}, {1, 2, 3});
  SamplingOptions options;
  options.max_length_ratio = 0.0;
  options.max_length = 5;
  std::vector<size_t> told(3);
  const auto found = sample(model, std::vector<SampleRequest>(3), options, 0,
                            [&](size_t request, int32_t) { return ++told[request] < 2 || request != 1; });
  EXPECT_EQ(found[0].tokens.size(), 5U);
  EXPECT_EQ(found[1].tokens.size(), 2U);
  EXPECT_EQ(found[1].finish, Finish::Stopped);
  EXPECT_EQ(found[2].tokens.size(), 5U);
  EXPECT_EQ(model.rows_of_steps(), (std::vector<size_t>{3, 3, 2, 2, 2}));
}

TEST(Sample, DependsOnSeedAndStreamButNotOnTheBatch) {
  Random random{1};
  for (int i = 0; i < 100; ++i) {
    const testing::HashLogits logits = {.vocab = 6 + static_cast<int64_t>(random.below(40)),
                                        .seed = random.next()};
    SamplingOptions options;
    options.top_k = static_cast<int64_t>(random.below(8));
    options.top_p = random.below(2) == 0 ? 1.0 : 0.7;
    options.repetition_penalty = random.below(2) == 0 ? 1.0 : 1.3;
    options.max_length = 12;
    std::vector<SampleRequest> requests(1 + random.below(5));
    std::vector<uint64_t> sentences;
    for (SampleRequest& request : requests) {
      request.source_length = static_cast<int64_t>(random.below(4));
      request.stream = random.next();
      sentences.push_back(random.next());
    }
    HashModel model(logits, sentences);
    const auto together = sample(model, requests, options);
    for (size_t s = 0; s < requests.size(); ++s) {
      HashModel single(logits, {sentences[s]});
      const auto alone = sample(single, {requests[s]}, options);
      ASSERT_EQ(alone.at(0).tokens, together[s].tokens);
      ASSERT_EQ(alone.at(0).token_scores, together[s].token_scores);
      ASSERT_EQ(alone.at(0).finish, together[s].finish);
    }
  }
  const auto tokens_of = [](int64_t seed, uint64_t stream) {
    HashModel model({.vocab = 50, .end_bias = -100.0}, {1});
    SampleRequest request;
    request.stream = stream;
    return sample(model, {request}, {.seed = seed})[0].tokens;
  };
  EXPECT_EQ(tokens_of(1, 1), tokens_of(1, 1));
  EXPECT_NE(tokens_of(1, 1), tokens_of(2, 1));
  EXPECT_NE(tokens_of(1, 1), tokens_of(1, 2));
}

TEST(Sample, SurvivesHostileLogits) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random{seed};
    SamplingOptions options;
    options.temperature = std::array{1e-6, 1.0, 1e6}[random.below(3)];
    options.top_k = static_cast<int64_t>(random.below(5));
    options.top_p = random.below(2) == 0 ? 1.0 : 0.5;
    options.repetition_penalty = 100.0;
    options.max_length = 20;
    HashModel model({.vocab = 30, .seed = seed, .hostile_share = 0.5, .dead_share = 0.05}, {1, 2});
    for (const Sample& found : sample(model, std::vector<SampleRequest>(2), options)) {
      ASSERT_LE(found.tokens.size(), 20U);
      for (const float score : found.token_scores) ASSERT_TRUE(score <= 1e-5F) << score;
      ASSERT_EQ(std::ranges::count(found.tokens, int32_t{kPad}), 0);
    }
  }
}

TEST(SamplingOptions, NamesWhatIsWrong) {
  const struct {
    std::string setting;
    std::string message;
  } cases[] = {
      {"x.temperature=0", "x.temperature is 0"},
      {"x.top_k=-1", "x.top_k is -1"},
      {"x.top_p=0", "x.top_p is 0; it must be above 0 and at most 1"},
      {"x.top_p=1.1", "x.top_p is 1.1"},
      {"x.repetition_penalty=0", "x.repetition_penalty is 0"},
      {"x.no_repeat_ngram=1", "x.no_repeat_ngram is 1"},
      {"x.max_length=-1", "x.max_length is -1"},
      {"x.min_length=-1", "x.min_length is -1"},
  };
  for (const auto& test : cases) {
    SamplingOptions options;
    set_option_assignment(collect_options(options, "x"), test.setting);
    EXPECT_TRUE(has_text(message_of([&] { options.validate("x"); }), test.message));
  }
  SamplingOptions options;
  options.top_p = std::nan("");
  EXPECT_TRUE(has_text(message_of([&] { options.validate("x"); }), "x.top_p is nan"));
  EXPECT_EQ(message_of([] { SamplingOptions{}.validate("x"); }), "no error");
}

}  // namespace
}  // namespace memsizer::decode
