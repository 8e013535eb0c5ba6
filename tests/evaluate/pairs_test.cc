#include "evaluate/pairs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/enum_value.h"
#include "evaluate/fake_model.h"
#include "text/special_tokens.h"

namespace memsizer::evaluate {
namespace {

using memsizer::testing::FakeModel;
using metrics::Metric;

// The numbers 4 to 9 of a vocabulary of words: "a" is 4, "f" is 9.
constexpr auto kTokenizer = "memsizer-words 1\na 6\nb 5\nc 4\nd 3\ne 2\nf 1\n";

class EvaluatePairs : public ::testing::Test {
 protected:
  Pairs pairs() {
    source_tokens_.clear();
    target_tokens_.clear();
    for (const std::string& text : sources_) source_tokens_.push_back(encoded(text));
    for (const std::string& text : references_) target_tokens_.push_back(encoded(text));
    return {.sources = sources_,
            .references = references_,
            .source_tokens = [this](size_t i) { return Tokens(source_tokens_[i]); },
            .target_tokens = [this](size_t i) { return Tokens(target_tokens_[i]); }};
  }

  std::vector<int32_t> encoded(const std::string& text) const {
    std::vector<int32_t> tokens;
    tokenizer_->encode(text, tokens);
    tokens.push_back(static_cast<int32_t>(kEos));
    return tokens;
  }

  PairEvaluation evaluated(FakeModel& model, const PairProtocol& protocol) {
    return evaluate_pairs(model, *tokenizer_, pairs(), protocol);
  }

  std::unique_ptr<text::Tokenizer> tokenizer_ = text::load_tokenizer(kTokenizer, "test");
  std::vector<std::string> sources_ = {"a b", "c d e f a b c d", " \t", "f"};
  std::vector<std::string> references_ = {"a b", "c d e", "a", "e e"};
  std::vector<std::vector<int32_t>> source_tokens_;
  std::vector<std::vector<int32_t>> target_tokens_;
};

TEST_F(EvaluatePairs, LongSourcesAreTruncatedAndBlankOnesGiveNothing) {
  FakeModel model(true);
  const PairEvaluation found = evaluated(model, {.max_source_tokens = 5});
  EXPECT_EQ(model.generated,
            (std::vector<std::vector<int32_t>>{{4, 5, kEos}, {6, 7, 8, 9, kEos}, {9, kEos}}));
  EXPECT_EQ(found.evaluation.outputs, (std::vector<std::string>{"a b", "c d e f", "", "f"}));
  EXPECT_EQ(found.truncated, 1);
  EXPECT_EQ(found.evaluation.generated_tokens, 10);
  // The references are scored given the same sources, blank ones included.
  EXPECT_EQ(model.read,
            (std::vector<std::vector<int32_t>>{{4, 5, kEos}, {6, 7, 8, 9, kEos}, {kEos}, {9, kEos}}));
}

TEST_F(EvaluatePairs, TheModelsPositionsBoundSourcesAndReferences) {
  FakeModel model(true);
  model.positions = 3;
  const PairEvaluation found = evaluated(model, {.max_source_tokens = 5});
  EXPECT_EQ(model.generated[1], (std::vector<int32_t>{6, 7, kEos}));
  EXPECT_EQ(found.left_out, 1);
  EXPECT_EQ(found.target_tokens, (std::vector<int64_t>{3, 0, 2, 3}));
  EXPECT_EQ(model.targets_read, (std::vector<std::vector<int32_t>>{{4, 5, kEos}, {4, kEos}, {8, 8, kEos}}));
  EXPECT_EQ(found.evaluation.tokens, 8);
  EXPECT_DOUBLE_EQ(found.log_probability[3], -18.0 / 8.0);
  EXPECT_DOUBLE_EQ(found.log_probability[1], 0.0);
}

TEST_F(EvaluatePairs, PerplexityIsOfAllReferencesAndTextOfTheFirst) {
  FakeModel model(true);
  const PairEvaluation found = evaluated(model, {.sentences = 2, .metrics = {Metric::Bleu}});
  EXPECT_EQ(found.evaluation.outputs.size(), 2U);
  EXPECT_EQ(model.generated.size(), 2U);
  EXPECT_EQ(found.evaluation.tokens, 12);
  const double nll = (4 + 5 + 2 + 6 + 7 + 8 + 2 + 4 + 2 + 8 + 8 + 2) / 8.0 / 12.0;
  EXPECT_DOUBLE_EQ(found.evaluation.nll, nll);
  EXPECT_DOUBLE_EQ(found.evaluation.perplexity, std::exp(nll));
  const std::vector<std::string> first(references_.begin(), references_.begin() + 2);
  EXPECT_EQ(
      found.evaluation.scores,
      (metrics::NamedScores{{"bleu", metrics::bleu(found.evaluation.outputs, std::vector{first}).score}}));
}

TEST_F(EvaluatePairs, ReferencesAreNotScoredUnlessAsked) {
  FakeModel model(true);
  const PairEvaluation found = evaluated(model, {.likelihood = false});
  EXPECT_TRUE(model.read.empty());
  EXPECT_EQ(found.evaluation.tokens, 0);
  EXPECT_TRUE(found.log_probability.empty());
}

// The trainer's model tells sums and the runtime's tells each: whatever is asked of them is the same.
TEST_F(EvaluatePairs, AModelInTrainingAndOneOfAFileAreAskedTheSame) {
  PairProtocol protocol{.max_source_tokens = 4};
  protocol.metrics = metrics::text_metrics(metrics::recorded_metrics(Task::Summarization));
  for (const int64_t positions : {0, 3}) {
    FakeModel in_training(false);
    FakeModel of_file(true);
    in_training.positions = of_file.positions = positions;
    const PairEvaluation training = evaluated(in_training, protocol);
    const PairEvaluation file = evaluated(of_file, protocol);
    EXPECT_EQ(in_training.generated, of_file.generated);
    EXPECT_EQ(in_training.read, of_file.read);
    EXPECT_EQ(in_training.targets_read, of_file.targets_read);
    EXPECT_EQ(training.evaluation.outputs, file.evaluation.outputs);
    EXPECT_EQ(training.evaluation.all_scores(), file.evaluation.all_scores());
    EXPECT_TRUE(training.log_probability.empty());
    EXPECT_EQ(file.log_probability.size(), references_.size());
  }
}

TEST_F(EvaluatePairs, TheMetricThatChoosesIsAmongTheScores) {
  FakeModel model(false);
  PairProtocol protocol;
  protocol.metrics = metrics::text_metrics(metrics::recorded_metrics(Task::Summarization));
  const Evaluation found = evaluated(model, protocol).evaluation;
  for (const Metric metric : metrics::recorded_metrics(Task::Summarization))
    EXPECT_NO_THROW(found.quality(metric)) << enum_name(metric);
  EXPECT_DOUBLE_EQ(found.quality(Metric::Loss), -found.nll);
}

TEST_F(EvaluatePairs, ProgressIsTold) {
  FakeModel model(true);
  std::vector<int64_t> done;
  evaluate_pairs(model, *tokenizer_, pairs(), {}, [&](int64_t outputs) { done.push_back(outputs); });
  EXPECT_EQ(done, (std::vector<int64_t>{1, 2, 3}));
}

TEST(EvaluateOutputs, AreScoredWithoutAModel) {
  const std::vector<std::string> references = {"a b c", "d"};
  PairProtocol protocol;
  protocol.metrics = {Metric::Rouge};
  const PairEvaluation found = evaluate_outputs({"a b", "d"}, references, protocol);
  EXPECT_EQ(found.scores.size(), 1U);
  EXPECT_EQ(found.evaluation.scores.front().first, "rouge1");
  EXPECT_NEAR(found.evaluation.scores.front().second, 90.0, 1e-9);
}

}  // namespace
}  // namespace memsizer::evaluate
