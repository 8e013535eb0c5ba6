#include "bench/generation_bench.h"

#include <gtest/gtest.h>

#include "model/presets.h"

namespace memsizer::bench {
namespace {

GenerationPoint tiny_point(Mechanism mechanism) {
  GenerationPoint point;
  point.config = preset_config("tiny");
  point.config.vocab = 100;
  point.config.decoder.self = point.config.decoder.cross = mechanism;
  point.length = 16;
  point.batch = 2;
  point.repeats = 2;
  point.seconds = 0.0;
  return point;
}

void expect_whole(const GenerationResult& result) {
  EXPECT_GT(result.tokens_per_second, 0.0);
  EXPECT_GT(result.encoder_seconds, 0.0);
  EXPECT_LE(result.slow_tokens_per_second, result.tokens_per_second);
  EXPECT_LE(result.tokens_per_second, result.fast_tokens_per_second);
  EXPECT_GT(result.peak_resident_bytes, 0);
  EXPECT_GT(result.state_bytes, 0);
  EXPECT_EQ(result.repeats, 2);
}

TEST(GenerationBench, GreedyTimesEveryStepOfEachRepeat) {
  const GenerationResult result = measure_generation(tiny_point(mechanism_named("memsizer")));
  expect_whole(result);
  EXPECT_EQ(result.steps_timed, 2 * 16);
}

TEST(GenerationBench, LongGenerationsAreTimedAtSomeSteps) {
  GenerationPoint point = tiny_point(mechanism_named("memsizer"));
  point.length = 1000;
  const GenerationResult result = measure_generation(point);
  expect_whole(result);
  EXPECT_LT(result.steps_timed, 2 * 1000 / 4);
}

TEST(GenerationBench, BeamKeepsTheStateOfEveryHypothesis) {
  GenerationPoint point = tiny_point(mechanism_named("softmax"));
  const int64_t greedy = measure_generation(point).state_bytes;
  point.beam = 4;
  const GenerationResult result = measure_generation(point);
  expect_whole(result);
  EXPECT_EQ(result.steps_timed, 2);
  EXPECT_GT(result.state_bytes, greedy);
}

TEST(GenerationBench, AShortlistLeavesFewerWeightsToRead) {
  GenerationPoint point = tiny_point(mechanism_named("memsizer"));
  const int64_t whole = measure_generation(point).weight_bytes;
  point.shortlist = 10;
  for (const int64_t beam : {1, 3}) {
    point.beam = beam;
    const GenerationResult result = measure_generation(point);
    expect_whole(result);
    // Two rows have at most 16 tokens: 10 each, of which 4 are the special ones.
    EXPECT_LE(result.weight_bytes, whole - 4 * (100 - 16) * point.config.dim);
  }
}

TEST(GenerationBench, StateGrowsWithLengthForSoftmaxOnly) {
  const auto state_at = [](Mechanism mechanism, int64_t length) {
    GenerationPoint point = tiny_point(mechanism);
    point.length = length;
    return measure_generation(point).state_bytes;
  };
  EXPECT_EQ(state_at(mechanism_named("memsizer"), 16), state_at(mechanism_named("memsizer"), 64));
  EXPECT_LT(2 * state_at(mechanism_named("softmax"), 16), state_at(mechanism_named("softmax"), 64));
}

TEST(GenerationBench, SourcesCanHaveALengthOfTheirOwn) {
  GenerationPoint point = tiny_point(mechanism_named("softmax"));
  const int64_t same = measure_generation(point).state_bytes;
  point.source_length = 200;
  EXPECT_GT(measure_generation(point).state_bytes, same);
}

}  // namespace
}  // namespace memsizer::bench
