#include "decode/listed_generation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "decode/generate.h"
#include "decode/hash_model.h"
#include "support/messages.h"

namespace memsizer::decode {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;
using testing::HashModel;

constexpr testing::HashLogits kLogits = {.vocab = 40, .seed = 9, .end_bias = 0.5};

// The whole vocabulary, in which all but some tokens are impossible.
class MaskedModel : public HashModel {
 public:
  MaskedModel(uint64_t sentence, const std::vector<int32_t>& allowed)
      : HashModel(kLogits, {sentence}), allowed_(allowed) {}

  std::span<float> advance(std::span<const int32_t> tokens) override {
    const std::span<float> logits = HashModel::advance(tokens);
    for (size_t i = 0; i < logits.size(); ++i) {
      const auto token = static_cast<int32_t>(i % static_cast<size_t>(kLogits.vocab));
      if (!std::ranges::binary_search(allowed_, token)) logits[i] = -std::numeric_limits<float>::infinity();
    }
    return logits;
  }

 private:
  std::vector<int32_t> allowed_;
};

TokenList list_of(std::vector<int32_t> tokens) {
  return std::make_shared<const std::vector<int32_t>>(std::move(tokens));
}

TEST(ListedGeneration, IsTheSearchAmongTheListedTokens) {
  const TokenList list = list_of({0, 1, 2, 3, 7, 11, 12, 20, 31, 39});
  GenerationOptions search{.beam = 4, .n_best = 4, .no_repeat_ngram = 2};
  GenerationOptions drawing{.sample = true, .top_k = 6, .top_p = 0.9, .repetition_penalty = 1.2};
  for (const GenerationOptions& options : {search, drawing}) {
    for (uint64_t sentence = 0; sentence < 50; ++sentence) {
      Request request{.source_length = 6, .prefix = {11}, .stream = sentence};
      MaskedModel masked(sentence, *list);
      const auto expected = generate(masked, {request}, options)[0];
      request.among = list;
      HashModel model(kLogits, {sentence});
      const auto found = generate(model, {request}, options)[0];
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].tokens, expected[i].tokens) << "sentence " << sentence;
        // Sums are taken in another order.
        EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);
        EXPECT_EQ(found[i].finish, expected[i].finish);
      }
    }
  }
}

TEST(ListedGeneration, GivesTokensAsTheySettle) {
  HashModel model(kLogits, {1});
  const TokenList list = list_of({0, 1, 2, 3, 8, 30});
  Request request;
  request.among = list;
  const auto generation = start_generation(request, {.sample = true, .min_length = 4}, kLogits.vocab, 0);
  StepScratch scratch;
  for (int step = 0; step < 3; ++step) {
    std::vector<int32_t> tokens;
    for (const NextRow& row : generation->next_rows()) tokens.push_back(row.token);
    const RowGroup group{tokens.size(), generation->among()};
    generation->step(model.advance_among(tokens, std::span(&group, 1)), scratch);
  }
  ASSERT_EQ(generation->settled().size(), 3U);
  for (const int32_t token : generation->settled()) EXPECT_TRUE(std::ranges::binary_search(*list, token));
  EXPECT_EQ(generation->next_rows()[0].token, generation->settled().back());
  generation->stop();
  const std::vector<Hypothesis> found = generation->take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].finish, Finish::Stopped);
}

TEST(ListedGeneration, RefusesListsThatNoRequestCanHave) {
  const auto message = [](std::vector<int32_t> tokens, Request request = {}) {
    request.among = list_of(std::move(tokens));
    return message_of([&] { start_generation(request, {}, kLogits.vocab, 0); });
  };
  EXPECT_EQ(message({0, 1, 2, 3}), "no error");
  EXPECT_TRUE(has_text(message({}), "does not rise from the special tokens"));
  EXPECT_TRUE(has_text(message({0, 1, 2, 5}), "does not rise from the special tokens"));
  EXPECT_TRUE(has_text(message({0, 1, 2, 3, 7, 7}), "does not rise"));
  EXPECT_TRUE(has_text(message({0, 1, 2, 3, 40}), "to at most 39"));
  EXPECT_TRUE(has_text(message({0, 1, 2, 3}, {.prefix = {9}}), "token 9 of the request is none of the 4"));
}

}  // namespace
}  // namespace memsizer::decode
