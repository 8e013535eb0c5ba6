#include "bench/sweep.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/presets.h"

namespace memsizer::bench {
namespace {

SweepLists lists_of(const std::vector<std::string>& mechanisms) {
  SweepLists lists;
  lists.variants = variants_of({mechanisms, {}, {}, {}});
  return lists;
}

GenerationPoint like() {
  GenerationPoint point;
  point.config = preset_config("tiny");
  point.config.vocab = 100;
  point.repeats = 1;
  point.seconds = 0.0;
  return point;
}

TEST(Sweep, HasEveryCombination) {
  SweepLists lists = lists_of({"softmax", "memsizer"});
  lists.lengths = {8, 16, 32};
  lists.batches = {1, 2};
  lists.precisions = {"fp32", "int8"};
  lists.shortlists = {0, 10};
  const auto points = sweep_points(lists, like());
  ASSERT_EQ(points.size(), 48U);
  EXPECT_EQ(points[0].point.length, 8);
  EXPECT_EQ(points[1].point.length, 8);
  EXPECT_EQ(points[2].point.length, 8);
  EXPECT_EQ(points[2].point.shortlist, 10);
  EXPECT_EQ(points[4].point.length, 16);
  EXPECT_EQ(points[0].variant.mechanism, "softmax");
  EXPECT_EQ(points[1].variant.mechanism, "memsizer");
  EXPECT_EQ(points[47].variant.mechanism, "memsizer");
  EXPECT_EQ(points[47].point.type, WeightType::I8);
  EXPECT_EQ(points[47].point.config.decoder.self, mechanism_named("memsizer"));
}

TEST(Sweep, RefusesImpossibleValues) {
  const auto refused = [](auto change) {
    SweepLists lists = lists_of({"memsizer"});
    change(lists);
    EXPECT_THROW(sweep_points(lists, like()), UserError);
  };
  refused([](SweepLists& lists) { lists.lengths = {0}; });
  refused([](SweepLists& lists) { lists.batches = {-1}; });
  refused([](SweepLists& lists) { lists.beams = {0}; });
  refused([](SweepLists& lists) { lists.threads = {0}; });
  refused([](SweepLists& lists) { lists.shortlists = {-1}; });
  refused([](SweepLists& lists) { lists.shortlists = {101}; });
  refused([](SweepLists& lists) { lists.precisions = {"int4"}; });
}

TEST(Sweep, MeasuresInAProcessOfItsOwn) {
  const auto points = sweep_points(lists_of({"memsizer"}), like());
  const auto result = measure_apart(points.front().point);
  ASSERT_TRUE(result);
  EXPECT_GT(result->tokens_per_second, 0.0);
}

TEST(Sweep, AMeasurementThatDiesIsNone) {
  GenerationPoint point = like();
  point.config.decoder.layers = 1;
  point.config.decoder.self = mechanism_named("linformer");  // cannot generate
  EXPECT_FALSE(measure_apart(point));
}

}  // namespace
}  // namespace memsizer::bench
