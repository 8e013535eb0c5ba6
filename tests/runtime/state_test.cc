// States as values, and what a step may depend on: neither the batch around a row, nor the pieces a sequence
// is read in, nor memory taken while generating.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <vector>

#include "model/state_size.h"
#include "runtime/small_models.h"
#include "runtime/step_model.h"
#include "support/allocation_count.h"

namespace memsizer::runtime {
namespace {

// The scores after each of some steps, all rows reading tokens that depend on (row name, step) alone.
std::vector<std::vector<float>> steps(RuntimeStepModel& model, const std::vector<uint64_t>& names, int count,
                                      int first_step = 0) {
  std::vector<std::vector<float>> scores;
  for (int step = first_step; step < first_step + count; ++step) {
    std::vector<int32_t> tokens;
    for (const uint64_t name : names) tokens.push_back(token_of(name, static_cast<uint64_t>(step)));
    const auto got = model.advance(tokens);
    scores.emplace_back(got.begin(), got.end());
  }
  return scores;
}

std::vector<float> row_of(const std::vector<float>& scores, size_t row, int64_t vocab) {
  const auto width = static_cast<size_t>(vocab);
  return {scores.begin() + row * width, scores.begin() + (row + 1) * width};
}

RuntimeStepModel started(const Model& model, Work& work, const std::vector<uint64_t>& names) {
  return {model, work, start_rows(model, work, names)};
}

TEST(DecoderState, ARowDoesNotDependOnTheRowsBesideItNorOnThreads) {
  for (const SmallModel& small : causal_models()) {
    for (const WeightType type : {WeightType::F32, WeightType::I8}) {
      SCOPED_TRACE(small.name);
      const auto model = random_model(small.config, type);
      Work one(1);
      RuntimeStepModel alone = started(*model, one, {11});
      const auto expected = steps(alone, {11}, 6);
      for (const int threads : {1, 2, 3}) {
        Work work(threads);
        RuntimeStepModel together = started(*model, work, {5, 8, 11, 2, 9, 4, 3});
        const auto got = steps(together, {5, 8, 11, 2, 9, 4, 3}, 6);
        for (size_t s = 0; s < got.size(); ++s)
          EXPECT_EQ(row_of(got[s], 2, model->vocab()), expected[s]) << threads << " threads, step " << s;
      }
    }
  }
}

// Fewer rows than threads: each thread takes some columns or heads of a row.
TEST(DecoderState, AWideRowAloneDoesNotDependOnThreads) {
  for (SmallModel small : causal_models()) {
    SCOPED_TRACE(small.name);
    small.config.dim = 192;
    const auto model = random_model(language_model(small.config));
    const std::vector<int32_t> prompt = random_tokens(40, 3);
    const auto vocab = static_cast<size_t>(model->vocab());
    std::vector<float> expected;
    for (const int threads : {1, 2, 3}) {
      Work work(threads);
      DecoderState state = model->start(1);
      std::vector<float> got((prompt.size() + 1) * vocab);
      const std::vector<int64_t> offsets = {0, static_cast<int64_t>(prompt.size())};
      model->advance(work, Ragged{offsets}, prompt, state, Model::Scores::EveryToken, got.data());
      const auto next = step_rows(*model, work, state, {9}).front();
      std::ranges::copy(next, got.end() - static_cast<int64_t>(vocab));
      if (threads == 1) expected = got;
      EXPECT_EQ(got, expected) << threads << " threads";
    }
  }
}

TEST(DecoderState, ReadingInPiecesIsReadingTokenByToken) {
  for (const SmallModel& small : causal_models()) {
    SCOPED_TRACE(small.name);
    const auto model = random_model(language_model(small.config));
    Work work(2);
    JoinedTokens rows;
    rows.add(random_tokens(9, 1));
    rows.add(random_tokens(17, 2));
    DecoderState whole = model->start(2);
    std::vector<float> expected(2 * static_cast<size_t>(model->vocab()));
    model->advance(work, rows.ragged(), rows.tokens, whole, Model::Scores::LastToken, expected.data());
    DecoderState stepwise = model->start(1);
    std::vector<float> got(static_cast<size_t>(model->vocab()));
    const std::vector<int64_t> one = {0, 1};
    for (int64_t t = 9; t < 26; ++t) {
      model->advance(work, Ragged{one}, std::span(rows.tokens).subspan(t, 1), stepwise,
                     Model::Scores::LastToken, got.data());
    }
    EXPECT_EQ(got, row_of(expected, 1, model->vocab()));
  }
}

TEST(DecoderState, ACopyGoesItsOwnWay) {
  for (const SmallModel& small : causal_models()) {
    SCOPED_TRACE(small.name);
    const auto model = random_model(small.config);
    Work work(2);
    RuntimeStepModel first = started(*model, work, {11, 12});
    steps(first, {11, 12}, 3);
    RuntimeStepModel fork(*model, work, first.state());
    EXPECT_EQ(fork.state().sources(), first.state().sources()) << "what was read of the sources is shared";
    const auto other = steps(fork, {31, 32}, 3, 3);
    const auto same = steps(first, {11, 12}, 3, 3);
    RuntimeStepModel again = started(*model, work, {11, 12});
    steps(again, {11, 12}, 3);
    EXPECT_EQ(steps(again, {11, 12}, 3, 3), same);
    EXPECT_NE(other, same);
  }
}

TEST(DecoderState, ReorderedRowsGoOnAsTheirParents) {
  for (const SmallModel& small : causal_models()) {
    SCOPED_TRACE(small.name);
    const auto model = random_model(small.config);
    Work work(2);
    for (const std::vector<int64_t>& parents :
         {std::vector<int64_t>{2, 0, 0, 1, 2, 2}, {1, 2}, {0, 1, 2}, {2}, {1, 0, 2}}) {
      RuntimeStepModel batch = started(*model, work, {11, 12, 13});
      steps(batch, {11, 12, 13}, 3);
      batch.reorder(parents);
      std::vector<uint64_t> names;
      for (const int64_t parent : parents) names.push_back(static_cast<uint64_t>(11 + parent));
      const auto got = steps(batch, names, 2, 3);
      RuntimeStepModel plain = started(*model, work, {11, 12, 13});
      steps(plain, {11, 12, 13}, 3);
      const auto expected = steps(plain, {11, 12, 13}, 2, 3);
      for (size_t i = 0; i < parents.size(); ++i)
        EXPECT_EQ(row_of(got[1], i, model->vocab()),
                  row_of(expected[1], static_cast<size_t>(parents[i]), model->vocab()));
    }
  }
}

TEST(DecoderState, ResetStartsAgain) {
  for (const SmallModel& small : causal_models()) {
    const auto model = random_model(small.config);
    Work work(1);
    RuntimeStepModel first = started(*model, work, {11, 12});
    const auto expected = steps(first, {11, 12}, 3);
    DecoderState state = first.state();
    state.reorder(std::vector<int64_t>{1, 1, 0});
    state.reorder(std::vector<int64_t>{2, 0});
    state.reset();
    RuntimeStepModel again(*model, work, std::move(state));
    EXPECT_EQ(steps(again, {11, 12}, 3), expected) << small.name;
  }
}

TEST(DecoderState, NothingIsAllocatedWhileGenerating) {
  for (const SmallModel& small : causal_models()) {
    for (const WeightType type : {WeightType::F32, WeightType::I8}) {
      const auto model = random_model(small.config, type);
      Work work(2);
      JoinedTokens sources;
      for (uint64_t i = 0; i < 5; ++i) sources.add(random_tokens(6, i));
      DecoderState state = model->start(work, sources.ragged(), sources.tokens);
      state.reserve(64);
      RuntimeStepModel step_model(*model, work, std::move(state));
      const std::vector<int32_t> tokens = {5, 6, 7, 8, 9};
      const std::vector<int64_t> beam_order = {1, 0, 2, 4, 3};
      // Warm-up: long enough for the scratch of the later, longer steps of softmax.
      for (int i = 0; i < 40; ++i) {
        step_model.advance(tokens);
        step_model.reorder(beam_order);
      }
      const int64_t before = testing::allocation_count();
      const auto bytes_before = mallinfo2().uordblks + mallinfo2().hblkhd;
      for (int i = 0; i < 8; ++i) {
        step_model.advance(tokens);
        step_model.reorder(beam_order);
      }
      const auto bytes_after = mallinfo2().uordblks + mallinfo2().hblkhd;
      EXPECT_EQ(testing::allocation_count(), before) << small.name;
      EXPECT_EQ(bytes_after, bytes_before) << small.name;
    }
  }
}

TEST(DecoderState, ItsSizeIsKnownBeforehand) {
  for (const SmallModel& small : causal_models()) {
    const ModelConfig& config = small.config;
    const auto model = random_model(config);
    Work work(1);
    RuntimeStepModel step_model = started(*model, work, {11});
    const auto foretold =
        static_cast<size_t>(mixer_state_size(mixer_config(config, Position::CausalSelf)).constant_bytes);
    const auto layers = static_cast<size_t>(config.decoder.layers);
    // Rounded up to cache lines; the counter of tokens is kept once, not in each layer.
    EXPECT_LE(step_model.state().bytes(), layers * (foretold + 64)) << small.name;
    EXPECT_GE(step_model.state().bytes() + layers * 8, layers * foretold) << small.name;
    if (!config.decoder.self.at(0).traits().recurrent) continue;
    const size_t before = step_model.state().bytes();
    steps(step_model, {11}, 30);
    EXPECT_EQ(step_model.state().bytes(), before) << small.name;
  }
}

}  // namespace
}  // namespace memsizer::runtime
