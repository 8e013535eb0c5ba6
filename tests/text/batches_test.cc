#include "text/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/random.h"
#include "support/messages.h"

namespace memsizer::text {
namespace {

using testing::has_text;
using testing::message_of;

using Lengths = std::vector<std::pair<int64_t, int64_t>>;

auto length_in(const Lengths& lengths) {
  return [&lengths](int64_t index) { return lengths[static_cast<size_t>(index)]; };
}

std::vector<Batch> epoch(const Lengths& lengths, const BatchOptions& options, int64_t number = 1) {
  return epoch_batches(static_cast<int64_t>(lengths.size()), length_in(lengths), options, number);
}

std::vector<Batch> evaluation(const Lengths& lengths, const BatchOptions& options) {
  return evaluation_batches(static_cast<int64_t>(lengths.size()), length_in(lengths), options);
}

Lengths random_lengths(size_t examples, uint64_t seed = 11) {
  Random random = Random::of(seed);
  Lengths lengths;
  for (size_t i = 0; i < examples; ++i) {
    const auto source = static_cast<int64_t>(1 + random.below(60));
    lengths.emplace_back(source, static_cast<int64_t>(1 + random.below(static_cast<uint64_t>(source) + 20)));
  }
  return lengths;
}

std::vector<int64_t> joined(const std::vector<Batch>& batches) {
  std::vector<int64_t> all;
  for (const Batch& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

void expect_every_example_once(const std::vector<Batch>& batches, size_t examples) {
  std::vector<int64_t> all = joined(batches);
  std::sort(all.begin(), all.end());
  std::vector<int64_t> expected(examples);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

// Padded source and target tokens.
std::pair<int64_t, int64_t> padded(const Batch& batch, const Lengths& lengths) {
  int64_t source = 0;
  int64_t target = 0;
  for (const int64_t index : batch) {
    source = std::max(source, lengths[static_cast<size_t>(index)].first);
    target = std::max(target, lengths[static_cast<size_t>(index)].second);
  }
  const auto sentences = static_cast<int64_t>(batch.size());
  return {sentences * source, sentences * target};
}

void expect_budget_kept(const std::vector<Batch>& batches, const Lengths& lengths,
                        const BatchOptions& options) {
  for (const Batch& batch : batches) {
    ASSERT_FALSE(batch.empty());
    if (options.max_sentences > 0) {
      EXPECT_LE(static_cast<int64_t>(batch.size()), options.max_sentences);
    }
    if (batch.size() == 1) continue;
    EXPECT_LE(padded(batch, lengths).first, options.max_tokens);
    EXPECT_LE(padded(batch, lengths).second, options.max_tokens);
  }
}

uint64_t hash_of(const std::vector<Batch>& batches) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
  for (const Batch& batch : batches) {
    add(batch.size() + 1000000);
    for (const int64_t index : batch) add(static_cast<uint64_t>(index));
  }
  return hash;
}

// The order of an epoch, said as plainly as can be.
std::vector<Batch> plain_epoch(const Lengths& lengths, const BatchOptions& options, int64_t number) {
  Random random = Random::of(options.seed, static_cast<uint64_t>(number));
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  std::vector<Batch> batches;
  const size_t window = options.window > 0 ? static_cast<size_t>(options.window) : lengths.size();
  for (size_t begin = 0; begin < order.size(); begin += window) {
    std::multiset<std::tuple<int64_t, int64_t, size_t>> sorted;
    for (size_t at = begin; at < std::min(begin + window, order.size()); ++at) {
      const auto [source, target] = lengths[static_cast<size_t>(order[at])];
      sorted.emplace(target, source, at);
    }
    Batch batch;
    for (const auto& [target, source, at] : sorted) {
      Batch larger = batch;
      larger.push_back(order[at]);
      const auto [sources, targets] = padded(larger, lengths);
      const bool fits =
          std::max(sources, targets) <= options.max_tokens &&
          (options.max_sentences == 0 || static_cast<int64_t>(larger.size()) <= options.max_sentences);
      if (!fits && !batch.empty()) {
        batches.push_back(batch);
        larger = {order[at]};
      }
      batch = larger;
    }
    batches.push_back(batch);
  }
  random.shuffle(std::span(batches));
  return batches;
}

// A resumed run, and a run repeated elsewhere, rely on the order: it must not change.
TEST(EpochBatches, OrderIsTheSameForEver) {
  Lengths lengths;
  for (int64_t i = 0; i < 1000; ++i) lengths.emplace_back(1 + i * 7919 % 53, 1 + i * 104729 % 47);
  EXPECT_EQ(hash_of(epoch(lengths, {.max_tokens = 256, .seed = 7}, 1)), 0xe888753b528f5f1bULL);
  EXPECT_EQ(hash_of(epoch(lengths, {.max_tokens = 256, .seed = 7}, 2)), 0xcd83a18468c9db69ULL);
  EXPECT_EQ(hash_of(epoch(lengths, {.max_tokens = 256, .max_sentences = 5, .window = 64, .seed = 8}, 1)),
            0x80960bfc9c5c9559ULL);
}

TEST(EpochBatches, AreThePlainOnes) {
  const Lengths lengths = random_lengths(700);
  for (const int64_t window : {0, 1, 2, 64, 699, 700, 5000}) {
    for (const int64_t sentences : {0, 1, 7}) {
      const BatchOptions options{.max_tokens = 200, .max_sentences = sentences, .window = window, .seed = 3};
      EXPECT_EQ(epoch(lengths, options, 4), plain_epoch(lengths, options, 4)) << window << " " << sentences;
    }
  }
}

TEST(EpochBatches, EveryExampleOnceWithinTheBudget) {
  const Lengths lengths = random_lengths(1500);
  for (const int64_t tokens : {1, 30, 80, 500, 1000000}) {
    for (const int64_t sentences : {0, 1, 13}) {
      const BatchOptions options{.max_tokens = tokens, .max_sentences = sentences, .window = 500};
      const std::vector<Batch> batches = epoch(lengths, options);
      expect_every_example_once(batches, lengths.size());
      expect_budget_kept(batches, lengths, options);
    }
  }
}

TEST(EpochBatches, FillTheBudget) {
  const Lengths lengths(100, {10, 8});
  const std::vector<Batch> batches = epoch(lengths, {.max_tokens = 50});
  ASSERT_EQ(batches.size(), 20U);
  for (const Batch& batch : batches) EXPECT_EQ(batch.size(), 5U);
  const std::vector<Batch> by_target = epoch(Lengths(100, {8, 10}), {.max_tokens = 50});
  EXPECT_EQ(by_target.size(), 20U);
}

TEST(EpochBatches, EpochsAndSeedsDiffer) {
  const Lengths lengths = random_lengths(300);
  std::set<uint64_t> seen;
  for (int64_t number = 0; number < 20; ++number) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
      seen.insert(hash_of(epoch(lengths, {.max_tokens = 300, .seed = seed}, number)));
    }
  }
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(hash_of(epoch(lengths, {.seed = 5}, 3)), hash_of(epoch(lengths, {.seed = 5}, 3)));
}

TEST(EpochBatches, ExamplesOfOneLengthAreMixedAnew) {
  const Lengths lengths(64, {5, 5});
  const std::vector<Batch> first = epoch(lengths, {.max_tokens = 40}, 1);
  const std::vector<Batch> second = epoch(lengths, {.max_tokens = 40}, 2);
  std::set<std::set<int64_t>> groups;
  for (const std::vector<Batch>& batches : {first, second}) {
    for (const Batch& batch : batches) groups.emplace(batch.begin(), batch.end());
  }
  EXPECT_GT(groups.size(), first.size());
}

TEST(EpochBatches, BatchesAreNotInTheOrderOfLength) {
  const Lengths lengths = random_lengths(1000);
  std::vector<int64_t> longest;
  for (const Batch& batch : epoch(lengths, {.max_tokens = 200})) {
    longest.push_back(lengths[static_cast<size_t>(batch.front())].second);
  }
  EXPECT_FALSE(std::is_sorted(longest.begin(), longest.end()));
}

TEST(EpochBatches, LargerWindowsPadLess) {
  const Lengths lengths = random_lengths(2000);
  const auto padding = [&](int64_t window) {
    int64_t total = 0;
    for (const Batch& batch : epoch(lengths, {.max_tokens = 500, .window = window})) {
      total += padded(batch, lengths).second;
    }
    return total;
  };
  EXPECT_LT(padding(0), padding(200));
  EXPECT_LT(padding(200), padding(20));
}

TEST(EpochBatches, FewExamples) {
  EXPECT_TRUE(epoch({}, {}).empty());
  EXPECT_TRUE(epoch({}, {.window = 10}).empty());
  EXPECT_EQ(epoch({{3, 4}}, {}), (std::vector<Batch>{{0}}));
  EXPECT_EQ(epoch({{3, 4}}, {.window = INT64_MAX}), (std::vector<Batch>{{0}}));
}

TEST(EpochBatches, AnExampleLargerThanTheBudgetIsAlone) {
  const Lengths lengths = {{3, 3}, {4000000000, 2}, {2, 4000000000}, {3, 3}, {101, 1}, {100, 1}};
  const BatchOptions options{.max_tokens = 100};
  const std::vector<Batch> batches = epoch(lengths, options);
  expect_every_example_once(batches, lengths.size());
  expect_budget_kept(batches, lengths, options);
  for (const Batch& batch : batches) {
    const bool large = std::any_of(batch.begin(), batch.end(),
                                   [&](int64_t i) { return i == 1 || i == 2 || i == 4 || i == 5; });
    if (large) {
      EXPECT_EQ(batch.size(), 1U);
    }
  }
  // Sizes whose product is no 64-bit number.
  const BatchOptions vast{.max_tokens = INT64_MAX};
  EXPECT_EQ(epoch(lengths, vast).size(), 1U);
}

TEST(EpochBatches, EmptySidesTakeNoRoom) {
  const std::vector<Batch> batches = epoch(Lengths(50, {0, 0}), {.max_tokens = 10});
  expect_every_example_once(batches, 50);
  EXPECT_EQ(epoch(Lengths(50, {0, 5}), {.max_tokens = 50}).size(), 5U);
}

TEST(EpochBatches, RefusesWhatMakesNoSense) {
  const Lengths lengths = {{1, 1}};
  EXPECT_TRUE(has_text(message_of([&] { epoch(lengths, {.max_tokens = 0}); }), "found 0"));
  EXPECT_TRUE(has_text(message_of([&] { epoch(lengths, {.max_sentences = -1}); }), "found -1"));
  EXPECT_TRUE(has_text(message_of([&] { epoch(lengths, {.window = -3}); }), "found -3"));
  EXPECT_TRUE(has_text(message_of([&] { evaluation(lengths, {.max_tokens = -2}); }), "found -2"));
  EXPECT_TRUE(has_text(message_of([&] {
                         epoch({{1, int64_t{1} << 40}}, {});
                       }),
                       "example 1 has 1099511627776"));
  EXPECT_THROW(epoch({{-1, 1}}, {}), std::invalid_argument);
  EXPECT_THROW(epoch_batches(-1, length_in(lengths), {}, 1), std::invalid_argument);
}

TEST(EvaluationBatches, EveryExampleOnceLongestFirst) {
  const Lengths lengths = random_lengths(800);
  const BatchOptions options{.max_tokens = 300, .max_sentences = 20};
  const std::vector<Batch> batches = evaluation(lengths, options);
  expect_every_example_once(batches, lengths.size());
  expect_budget_kept(batches, lengths, options);
  const std::vector<int64_t> order = joined(batches);
  for (size_t i = 1; i < order.size(); ++i) {
    const auto [source, target] = lengths[static_cast<size_t>(order[i - 1])];
    const auto [next_source, next_target] = lengths[static_cast<size_t>(order[i])];
    // Equal ones in the order of the corpus.
    EXPECT_LT(std::tuple(-target, -source, order[i - 1]), std::tuple(-next_target, -next_source, order[i]));
  }
}

TEST(EvaluationBatches, DoNotDependOnSeedOrWindow) {
  const Lengths lengths = random_lengths(100);
  EXPECT_EQ(evaluation(lengths, {.max_tokens = 99, .window = 3, .seed = 4}),
            evaluation(lengths, {.max_tokens = 99}));
  EXPECT_TRUE(evaluation({}, {}).empty());
}

void expect_block(const StreamBlock& block, int64_t begin, int64_t end, int64_t score_from) {
  EXPECT_EQ(block.begin, begin);
  EXPECT_EQ(block.end, end);
  EXPECT_EQ(block.score_from, score_from);
}

TEST(TrainingBlocks, FollowEachOther) {
  const std::vector<StreamBlock> blocks = training_blocks(23, 10);
  ASSERT_EQ(blocks.size(), 3U);
  expect_block(blocks[0], 0, 10, 0);
  expect_block(blocks[1], 10, 20, 10);
  expect_block(blocks[2], 20, 23, 20);
  EXPECT_EQ(training_blocks(20, 10).size(), 2U);
  EXPECT_EQ(training_blocks(1, 10).size(), 1U);
  EXPECT_TRUE(training_blocks(0, 10).empty());
  expect_block(training_blocks(5, INT64_MAX).at(0), 0, 5, 0);
}

TEST(EvaluationBlocks, AreTheReferences) {
  const char* chosen = std::getenv("MEMSIZER_GOLDEN");
  const std::filesystem::path directory = chosen && *chosen ? chosen : "tests/golden";
  std::ifstream file(directory / "optim.json");
  ASSERT_TRUE(file) << "no optim.json in " << directory;
  const nlohmann::json fixture = nlohmann::json::parse(file).at("lm_context_windows");
  const auto stream = fixture.at("stream").get<std::vector<int64_t>>();
  const auto eos = fixture.at("eos").get<int64_t>();
  const auto pad = fixture.at("pad").get<int64_t>();
  const auto context = fixture.at("context_window").get<int64_t>();
  const auto fresh = fixture.at("tokens_per_sample_after_subtracting_context").get<int64_t>();
  const std::vector<StreamBlock> blocks =
      evaluation_blocks(static_cast<int64_t>(stream.size()), fresh + context, context);

  const nlohmann::json& windows = fixture.at("windows");
  ASSERT_EQ(blocks.size(), windows.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::vector<int64_t> inputs;
    std::vector<int64_t> targets;
    for (int64_t at = blocks[i].begin; at < blocks[i].end; ++at) {
      inputs.push_back(at == 0 ? eos : stream[static_cast<size_t>(at - 1)]);
      targets.push_back(at < blocks[i].score_from ? pad : stream[static_cast<size_t>(at)]);
    }
    // The reference pads the first window to the length of the others.
    auto expected_inputs = windows[i].at("src_tokens").get<std::vector<int64_t>>();
    auto expected_targets = windows[i].at("target").get<std::vector<int64_t>>();
    while (!expected_inputs.empty() && expected_inputs.back() == pad) expected_inputs.pop_back();
    while (!expected_targets.empty() && expected_targets.back() == pad) expected_targets.pop_back();
    EXPECT_EQ(inputs, expected_inputs) << i;
    EXPECT_EQ(targets, expected_targets) << i;
    EXPECT_EQ(blocks[i].score_from - blocks[i].begin, windows[i].at("start_index").get<int64_t>()) << i;
  }
}

TEST(EvaluationBlocks, ScoreEveryTokenOnceWithAllTheContextThereIs) {
  for (int64_t stream = 0; stream < 40; ++stream) {
    for (int64_t tokens = 1; tokens < 12; ++tokens) {
      for (int64_t context = 0; context < tokens; ++context) {
        int64_t next = 0;
        for (const StreamBlock& block : evaluation_blocks(stream, tokens, context)) {
          EXPECT_EQ(block.score_from, next);
          EXPECT_GT(block.end, block.score_from);
          EXPECT_EQ(block.begin, std::max<int64_t>(block.score_from - context, 0));
          EXPECT_LE(block.end - block.begin, tokens);
          next = block.end;
        }
        EXPECT_EQ(next, stream);
      }
    }
  }
}

TEST(EvaluationBlocks, RefuseWhatMakesNoSense) {
  EXPECT_TRUE(has_text(message_of([] { evaluation_blocks(10, 0, 0); }), "found 0"));
  EXPECT_TRUE(has_text(message_of([] { training_blocks(10, -1); }), "found -1"));
  EXPECT_TRUE(has_text(message_of([] { evaluation_blocks(10, 4, 4); }), "found 4 in blocks of 4"));
  EXPECT_TRUE(has_text(message_of([] { evaluation_blocks(10, 4, -1); }), "found -1"));
  EXPECT_THROW(training_blocks(-1, 4), std::invalid_argument);
}

}  // namespace
}  // namespace memsizer::text
