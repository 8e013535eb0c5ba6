#include "decode/row_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/random.h"
#include "decode/generate.h"
#include "decode/hash_model.h"

namespace memsizer::decode {
namespace {

using testing::HashModel;

constexpr testing::HashLogits kLogits = {.vocab = 25, .seed = 4, .end_bias = 1.0};

int64_t between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random.below(static_cast<uint64_t>(high - low + 1)));
}

struct Case {
  uint64_t sentence = 0;
  Request request;
  GenerationOptions options;
};

// Some tokens, with those that the request names.
TokenList random_list(Random& random, int32_t start_token) {
  std::vector<int32_t> list;
  for (int32_t token = 0; token < kLogits.vocab; ++token) {
    const bool named = token <= kUnk || token == start_token || token == 5 || token == 7;
    if (named || random.below(2) == 0) list.push_back(token);
  }
  return std::make_shared<const std::vector<int32_t>>(list);
}

// Settings of every kind, each request with its own.
Case random_case(Random& random) {
  Case made;
  made.sentence = random.next();
  made.request.source_length = between(random, 0, 9);
  made.request.start_token = static_cast<int32_t>(between(random, 2, kLogits.vocab - 1));
  made.request.stream = random.next();
  if (random.below(4) == 0) made.request.prefix = {5, static_cast<int32_t>(kPad), 7};
  GenerationOptions& options = made.options;
  options.sample = random.below(2) == 0;
  options.beam = between(random, 1, 6);
  options.n_best = between(random, 1, options.beam);
  options.max_length = between(random, 0, 20);
  options.min_length = between(random, 0, 5);
  options.no_repeat_ngram = random.below(3) == 0 ? 2 : 0;
  options.temperature = 0.5 + random.uniform();
  options.top_k = random.below(2) == 0 ? 0 : 4;
  options.top_p = random.below(2) == 0 ? 1.0 : 0.8;
  options.seed = between(random, 0, 100);
  if (random.below(3) == 0) made.request.among = random_list(random, made.request.start_token);
  return made;
}

std::vector<Hypothesis> alone(const Case& given) {
  HashModel model(kLogits, {given.sentence});
  return generate(model, {given.request}, given.options)[0];
}

void expect_equal(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t rank = 0; rank < found.size(); ++rank) {
    ASSERT_EQ(found[rank].tokens, expected[rank].tokens);
    ASSERT_EQ(found[rank].score, expected[rank].score);
    ASSERT_EQ(found[rank].token_scores, expected[rank].token_scores);
    ASSERT_EQ(found[rank].finish, expected[rank].finish);
  }
}

TEST(RowLoop, RequestsThatJoinAtAnyStepGetWhatTheyGetAlone) {
  Random random{1};
  for (int round = 0; round < 20; ++round) {
    std::vector<Case> cases;
    for (int i = 0; i < 64; ++i) cases.push_back(random_case(random));
    HashModel model(kLogits, {});
    RowLoop loop(model);
    std::vector<std::unique_ptr<Generation>> running;
    for (size_t joined = 0; joined < cases.size() || !loop.empty();) {
      while (joined < cases.size() && (loop.empty() || random.below(3) == 0)) {
        running.push_back(start_generation(cases[joined].request, cases[joined].options, kLogits.vocab, 0));
        model.append(cases[joined].sentence);
        loop.join(*running.back());
        ++joined;
      }
      loop.step();
    }
    for (size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE("round " + std::to_string(round) + ", request " + std::to_string(i));
      ASSERT_NO_FATAL_FAILURE(expect_equal(running[i]->take(), alone(cases[i])));
    }
  }
}

TEST(RowLoop, TheLastRowFillsTheHoleOfOneThatLeaves) {
  GenerationOptions options;
  options.beam = 1;
  options.max_length_ratio = 1.0;
  options.max_length = 0;
  options.min_length = 100;  // so that each ends at its own longest length
  std::vector<uint64_t> sentences(40);
  for (size_t i = 0; i < sentences.size(); ++i) sentences[i] = i;
  HashModel model(kLogits, sentences);
  std::vector<Request> requests(sentences.size());
  for (size_t i = 0; i < requests.size(); ++i) requests[i].source_length = i == 7 ? 2 : 9;
  generate(model, requests, options);
  EXPECT_EQ(model.moves(), 1U);
}

TEST(RowLoop, OneFailingStepFailsAlone) {
  struct Failing : Generation {
    Failing() { rows_.push_back({.parent = 0, .token = 5}); }
    void step(std::span<float>, StepScratch&) override {
      if (++steps == 2) throw std::runtime_error("no memory");
    }
    std::span<const int32_t> settled() const override { return {}; }
    std::vector<Hypothesis> take() override { return {}; }
    int steps = 0;
  };
  Random random{9};
  const Case given = random_case(random);
  HashModel model(kLogits, {1, given.sentence, 2});
  Failing first;
  Failing last;
  const auto good = start_generation(given.request, given.options, kLogits.vocab, 0);
  RowLoop loop(model);
  loop.join(first);
  loop.join(*good);
  loop.join(last);
  while (!loop.empty()) loop.step();
  EXPECT_TRUE(first.error());
  EXPECT_TRUE(last.error());
  EXPECT_FALSE(good->error());
  expect_equal(good->take(), alone(given));
}

}  // namespace
}  // namespace memsizer::decode
