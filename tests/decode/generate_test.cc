#include "decode/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/special_tokens.h"
#include "core/options.h"
#include "core/random.h"
#include "decode/hash_model.h"
#include "decode/reference_search.h"
#include "decode/row_scores.h"
#include "support/messages.h"

namespace memsizer::decode {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;
using testing::HashLogits;
using testing::HashModel;
using testing::LogSoftmax;

// The scores the search itself sees, to compare outcomes bit for bit; row_scores_test.cc checks them.
std::vector<float> own_log_softmax(std::span<const float> logits, double temperature) {
  RowScores scores;
  scores.read(logits, temperature);
  std::vector<float> all;
  for (size_t token = 0; token < logits.size(); ++token) all.push_back(scores.score(token));
  return all;
}

int64_t between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random.below(static_cast<uint64_t>(high - low + 1)));
}

struct Case {
  HashLogits logits;
  GenerationOptions options;
  std::vector<Request> requests;
  std::vector<uint64_t> sentences;
  int64_t max_positions = 0;
};

Case random_case(Random& random) {
  Case made;
  made.logits = {.vocab = between(random, 5, 50), .seed = random.next(), .end_bias = 3.0 * random.uniform()};
  GenerationOptions& options = made.options;
  options.beam = between(random, 1, 7);
  options.n_best = between(random, 1, options.beam);
  options.length_penalty = 2.5 * random.uniform() - 0.5;
  options.normalize_scores = random.below(4) != 0;
  options.max_length_ratio = random.below(2) == 0 ? 0.0 : 1.5 * random.uniform();
  options.max_length = between(random, 1, 12);
  options.min_length = between(random, 0, 5);
  options.no_repeat_ngram = random.below(2) == 0 ? 0 : between(random, 2, 4);
  options.unk_penalty = random.below(2) == 0 ? 0.0 : 4.0 * random.uniform() - 2.0;
  options.temperature = random.below(2) == 0 ? 1.0 : 0.3 + 2.0 * random.uniform();
  if (random.below(3) == 0) made.max_positions = between(random, 1, 12);
  made.requests.resize(random.below(5) + 1);
  for (Request& request : made.requests) {
    request.source_length = between(random, 0, 9);
    if (random.below(3) == 0) request.prefix.resize(random.below(5));
    for (int32_t& token : request.prefix) {
      const int64_t last = random.below(4) == 0 ? kUnk : made.logits.vocab - 1;
      token = static_cast<int32_t>(between(random, 0, last));
    }
    made.sentences.push_back(random.next());
  }
  return made;
}

std::vector<std::vector<Hypothesis>> run(const Case& given) {
  HashModel model(given.logits, given.sentences);
  return generate(model, given.requests, given.options, given.max_positions);
}

void expect_equal(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected,
                  double tolerance = 0.0) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t rank = 0; rank < found.size(); ++rank) {
    ASSERT_EQ(found[rank].tokens, expected[rank].tokens) << "rank " << rank;
    ASSERT_NEAR(found[rank].score, expected[rank].score, tolerance) << "rank " << rank;
    ASSERT_EQ(found[rank].token_scores.size(), expected[rank].token_scores.size());
    for (size_t i = 0; i < found[rank].token_scores.size(); ++i) {
      ASSERT_NEAR(found[rank].token_scores[i], expected[rank].token_scores[i], tolerance);
    }
  }
}

// Returns how many hypotheses were compared.
size_t compare_with_reference(const Case& given, const LogSoftmax& log_softmax, double tolerance) {
  const auto found = run(given);
  size_t compared = 0;
  EXPECT_EQ(found.size(), given.requests.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const auto expected = testing::reference_search(given.logits, given.sentences[i], given.requests[i],
                                                    given.options, given.max_positions, log_softmax);
    SCOPED_TRACE("sentence " + std::to_string(i));
    expect_equal(found[i], expected, tolerance);
    compared += expected.size();
  }
  return compared;
}

void compare_many(int cases, uint64_t seed, const std::function<void(Random&, Case&)>& change,
                  const LogSoftmax& log_softmax = own_log_softmax, double tolerance = 0.0) {
  Random random{seed};
  size_t compared = 0;
  for (int i = 0; i < cases; ++i) {
    Case given = random_case(random);
    change(random, given);
    SCOPED_TRACE("case " + std::to_string(i));
    compared += compare_with_reference(given, log_softmax, tolerance);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, static_cast<size_t>(cases));
}

TEST(Generate, IsTheReferenceSearch) {
  compare_many(2000, 1, [](Random&, Case&) {});
}

TEST(Generate, BreaksTiesAsASortOfAllCandidatesWould) {
  compare_many(1500, 2, [](Random& random, Case& given) {
    given.logits.grid = random.below(2) == 0 ? 0.5 : 3.0;
    given.options.unk_penalty = static_cast<double>(random.below(2));
  });
}

TEST(Generate, IsTheReferenceSearchWithPlainArithmetic) {
  compare_many(
      1000, 3, [](Random&, Case&) {}, testing::plain_log_softmax, 2e-5);
}

TEST(Generate, SurvivesHostileLogits) {
  compare_many(1500, 4, [](Random& random, Case& given) {
    given.logits.hostile_share = 0.5 * random.uniform();
    given.logits.dead_share = 0.2 * random.uniform();
  });
}

TEST(Generate, VocabulariesOfManyBlocks) {
  compare_many(60, 5, [](Random& random, Case& given) {
    given.logits.vocab = between(random, 60, 700);
    given.logits.end_bias = 5.0;
    given.logits.grid = random.below(2) == 0 ? 0.0 : 0.25;
    for (Request& request : given.requests) request.prefix.clear();
  });
}

TEST(Generate, WideBeams) {
  compare_many(100, 6, [](Random& random, Case& given) {
    given.options.beam = between(random, 8, 1000);
    given.options.n_best = given.options.beam;
    given.options.max_length = 3;
    given.options.max_length_ratio = 0.0;
    given.requests.resize(1);
    given.sentences.resize(1);
  });
}

TEST(Generate, DoesNotDependOnTheBatch) {
  Random random{7};
  for (int i = 0; i < 300; ++i) {
    const Case given = random_case(random);
    const auto together = run(given);
    for (size_t s = 0; s < given.requests.size(); ++s) {
      Case alone = given;
      alone.requests = {given.requests[s]};
      alone.sentences = {given.sentences[s]};
      ASSERT_NO_FATAL_FAILURE(expect_equal(together[s], run(alone)[0]));
    }
  }
}

TEST(Generate, FinishedSentencesLeaveTheBatch) {
  const HashLogits logits = {.vocab = 12, .seed = 3};
  GenerationOptions options;
  options.beam = 3;
  options.max_length_ratio = 1.0;
  options.max_length = 0;
  options.min_length = 100;  // so that each ends at its own longest length
  HashModel model(logits, {1, 2, 3});
  const auto found = generate(model, {{2, {}}, {0, {}}, {4, {}}}, options);
  EXPECT_EQ(found[0].at(0).tokens.size(), 3U);
  EXPECT_EQ(found[1].at(0).tokens.size(), 1U);
  EXPECT_EQ(found[2].at(0).tokens.size(), 5U);
  EXPECT_EQ(model.rows_of_steps(), (std::vector<size_t>{3, 6, 6, 3, 3}));
}

TEST(Generate, GreedyMovesNoRowsUntilOneFinishes) {
  GenerationOptions options;
  options.beam = 1;
  options.max_length_ratio = 0.0;
  options.max_length = 6;
  options.min_length = 6;
  HashModel model({.vocab = 9}, {1, 2});
  generate(model, {{}, {}}, options);
  EXPECT_EQ(model.rows_of_steps(), std::vector<size_t>(7, 2));
  EXPECT_EQ(model.reorders(), 0U);
}

TEST(Generate, NothingToDo) {
  HashModel model({}, {});
  EXPECT_TRUE(generate(model, {}, {}).empty());
  EXPECT_TRUE(model.rows_of_steps().empty());
}

TEST(Generate, AModelWithoutNumbersGivesNoHypothesis) {
  for (const int64_t beam : {1, 5}) {
    GenerationOptions options;
    options.beam = beam;
    options.max_length = 1000000;
    HashModel model({.vocab = 9, .dead_share = 1.0}, {1, 2});
    const auto found = generate(model, {{3, {}}, {4, {5}}}, options);
    EXPECT_TRUE(found.at(0).empty());
    EXPECT_TRUE(found.at(1).empty());
    EXPECT_EQ(model.rows_of_steps().size(), 1U);
  }
}

TEST(Generate, AForcedPrefixMayRepeatNgrams) {
  GenerationOptions options;
  options.beam = 2;
  options.no_repeat_ngram = 2;
  HashModel model({.vocab = 9}, {1});
  const auto found = generate(model, {{9, {5, 6, 5, 6}}}, options);
  const std::vector<int32_t>& tokens = found.at(0).at(0).tokens;
  ASSERT_GE(tokens.size(), 4U);
  EXPECT_EQ(std::vector<int32_t>(tokens.begin(), tokens.begin() + 4), (std::vector<int32_t>{5, 6, 5, 6}));
}

TEST(Generate, AForcedEndTokenEndsTheSentence) {
  HashModel model({.vocab = 9}, {1});
  const auto found = generate(model, {{9, {5, static_cast<int32_t>(kEos), 6}}}, {});
  ASSERT_EQ(found.at(0).size(), 1U);
  EXPECT_EQ(found[0][0].tokens, (std::vector<int32_t>{5, static_cast<int32_t>(kEos)}));
}

TEST(Generate, AnEndlessModelStopsAtItsLongest) {
  GenerationOptions options;
  options.beam = 1;
  options.max_length_ratio = 1000.0;
  HashModel model({.vocab = 5, .end_bias = -1e30}, {1});
  const auto found = generate(model, {{std::numeric_limits<int64_t>::max(), {}}}, options, 20);
  EXPECT_EQ(found.at(0).at(0).tokens.size(), 20U);
}

TEST(Generate, RefusesPrefixesOutsideTheVocabulary) {
  HashModel model({.vocab = 9}, {1, 2});
  for (const int32_t token : {-1, 9, std::numeric_limits<int32_t>::max()}) {
    const std::string message = message_of([&] { generate(model, {{3, {}}, {3, {4, token}}}, {}); });
    EXPECT_TRUE(has_text(message, "token 1 of the forced prefix is " + std::to_string(token)));
    EXPECT_TRUE(has_text(message, "0 to 8"));
  }
}

TEST(Generate, RefusesAModelWithoutSpecialTokens) {
  HashModel model({.vocab = 3}, {1});
  EXPECT_TRUE(has_text(message_of([&] { generate(model, {{3, {}}}, {}); }), "vocabulary has 3 tokens"));
}

TEST(Generate, RefusesLogitsOfTheWrongShape) {
  struct Short : HashModel {
    using HashModel::HashModel;
    std::span<float> advance(std::span<const int32_t> tokens) override {
      const auto logits = HashModel::advance(tokens);
      return logits.first(logits.size() - 1);
    }
  };
  Short model({.vocab = 9}, {1});
  EXPECT_THROW(generate(model, {{3, {}}}, {}), std::logic_error);
}

TEST(Generate, ChecksOptionsItself) {
  HashModel model({.vocab = 9}, {1});
  GenerationOptions options;
  options.beam = 0;
  EXPECT_TRUE(has_text(message_of([&] { generate(model, {{3, {}}}, options); }), "generation.beam is 0"));
}

TEST(GenerationOptions, NamesWhatIsWrong) {
  const struct {
    std::vector<std::string> settings;
    std::string message;
  } cases[] = {
      {{"x.beam=0"}, "x.beam is 0; it must be from 1 to 1000"},
      {{"x.beam=1001"}, "x.beam is 1001"},
      {{"x.beam=-9223372036854775808"}, "x.beam is -9223372036854775808"},
      {{"x.beam=3", "x.n_best=4"}, "x.n_best is 4; it must be from 1 to 3"},
      {{"x.n_best=0"}, "x.n_best is 0"},
      {{"x.length_penalty=1e300"}, "x.length_penalty is 1e+300; it must be from -10 to 10"},
      {{"x.max_length_ratio=-0.1"}, "x.max_length_ratio is -0.1"},
      {{"x.max_length=-1"}, "x.max_length is -1"},
      {{"x.max_length=9223372036854775807"}, "x.max_length is 9223372036854775807"},
      {{"x.max_length=0", "x.max_length_ratio=0"}, "x.max_length is 0 and so is x.max_length_ratio"},
      {{"x.min_length=-1"}, "x.min_length is -1"},
      {{"x.no_repeat_ngram=-1"}, "x.no_repeat_ngram is -1"},
      {{"x.no_repeat_ngram=1"}, "x.no_repeat_ngram is 1; it must be 0 (off) or from 2"},
      {{"x.temperature=0"}, "x.temperature is 0"},
      {{"x.temperature=-1"}, "x.temperature is -1"},
  };
  for (const auto& test : cases) {
    GenerationOptions options;
    for (const std::string& setting : test.settings) {
      set_option_assignment(collect_options(options, "x"), setting);
    }
    EXPECT_TRUE(has_text(message_of([&] { options.validate("x"); }), test.message));
  }
}

TEST(GenerationOptions, RefusesWhatIsNoNumber) {
  for (double GenerationOptions::*field :
       {&GenerationOptions::length_penalty, &GenerationOptions::max_length_ratio,
        &GenerationOptions::unk_penalty, &GenerationOptions::temperature}) {
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      GenerationOptions options;
      options.*field = bad;
      EXPECT_TRUE(has_text(message_of([&] { options.validate("x"); }), "it must be from"));
    }
  }
  EXPECT_EQ(message_of([] { GenerationOptions{}.validate("x"); }), "no error");
}

}  // namespace
}  // namespace memsizer::decode
