#include "evaluate/stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "evaluate/fake_model.h"
#include "support/messages.h"

namespace memsizer::evaluate {
namespace {

using memsizer::testing::FakeModel;

std::vector<int32_t> counted(size_t tokens) {
  std::vector<int32_t> stream(tokens);
  std::iota(stream.begin(), stream.end(), 0);
  return stream;
}

TEST(EvaluateStream, EachTokenCountsOnceAfterItsContext) {
  const std::vector<int32_t> stream = counted(23);
  FakeModel model(true);
  std::vector<int64_t> done;
  const StreamEvaluation found = evaluate_stream(model, stream, {.window = 8, .context = 5},
                                                 [&](int64_t tokens) { done.push_back(tokens); });
  ASSERT_EQ(found.tokens.size(), stream.size());
  for (int64_t i = 0; i < 23; ++i) {
    EXPECT_DOUBLE_EQ(found.tokens[i].log_probability, -static_cast<double>(i) / 8.0);
    // Windows score three tokens each, after five of context where there are as many.
    EXPECT_EQ(found.tokens[i].context, i - std::max<int64_t>(0, i / 3 * 3 - 5)) << i;
  }
  EXPECT_EQ(done.back(), 23);
  EXPECT_EQ(found.evaluation.tokens, 23);
  EXPECT_DOUBLE_EQ(found.evaluation.nll, 11.0 / 8.0);
  EXPECT_DOUBLE_EQ(found.evaluation.perplexity, std::exp(11.0 / 8.0));
}

TEST(EvaluateStream, AModelThatTellsOnlyTheTotalReachesTheSame) {
  const std::vector<int32_t> stream = counted(23);
  FakeModel of_file(true);
  FakeModel in_training(false);
  const StreamEvaluation file = evaluate_stream(of_file, stream, {.window = 8, .context = 4});
  const StreamEvaluation training = evaluate_stream(in_training, stream, {.window = 8, .context = 4});
  EXPECT_EQ(file.evaluation.all_scores(), training.evaluation.all_scores());
  EXPECT_TRUE(training.tokens.empty());
}

TEST(EvaluateStream, AWindowThatTheModelHasNoPositionsForIsRefused) {
  FakeModel model(true);
  model.positions = 8;
  const std::vector<int32_t> stream = counted(23);
  EXPECT_NO_THROW(evaluate_stream(model, stream, {.window = 8, .context = 4}));
  EXPECT_EQ(testing::message_of([&] { evaluate_stream(model, stream, {.window = 9, .context = 4}); }),
            "window is 9; this model has positions for 8 tokens");
}

TEST(EvaluateStream, AnEmptyStreamHasNoTokens) {
  FakeModel model(true);
  const StreamEvaluation found = evaluate_stream(model, {}, {});
  EXPECT_EQ(found.evaluation.tokens, 0);
  EXPECT_TRUE(found.tokens.empty());
}

}  // namespace
}  // namespace memsizer::evaluate
