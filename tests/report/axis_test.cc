#include "report/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace memsizer::report {
namespace {

using Scale = Axis::Scale;
using Ends = Axis::Ends;
using Labels = std::vector<std::string>;

Labels labels_of(const Axis& axis) {
  Labels labels;
  for (const Tick& tick : axis.ticks()) {
    if (!tick.label.empty()) labels.push_back(tick.label);
  }
  return labels;
}

Labels linear(double low, double high, Ends ends = Ends::Tight) {
  return labels_of(Axis(Range{low, high}, Scale::Linear, ends, 5));
}

Labels logarithmic(double low, double high) {
  return labels_of(Axis(Range{low, high}, Scale::Log, Ends::Tight, 5));
}

TEST(Axis, TicksAreRoundNumbers) {
  EXPECT_EQ(linear(0, 10), (Labels{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(linear(0, 1), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(linear(0, 25), (Labels{"0", "5", "10", "15", "20", "25"}));
  EXPECT_EQ(linear(-3, 2), (Labels{"−3", "−2", "−1", "0", "1", "2"}));
  EXPECT_EQ(linear(1.3, 8.9, Ends::Roomy), (Labels{"0", "2", "4", "6", "8", "10"}));
}

TEST(Axis, LabelsShareAUnit) {
  EXPECT_EQ(linear(0, 10000), (Labels{"0", "2k", "4k", "6k", "8k", "10k"}));
  EXPECT_EQ(linear(0, 1e6), (Labels{"0", "0.2M", "0.4M", "0.6M", "0.8M", "1.0M"}));
  EXPECT_EQ(linear(0, 5000), (Labels{"0", "1000", "2000", "3000", "4000", "5000"}));
  EXPECT_EQ(linear(0, 5e-4), (Labels{"0", "1×10⁻⁴", "2×10⁻⁴", "3×10⁻⁴", "4×10⁻⁴", "5×10⁻⁴"}));
  EXPECT_EQ(linear(0, 1e-5), (Labels{"0", "0.2×10⁻⁵", "0.4×10⁻⁵", "0.6×10⁻⁵", "0.8×10⁻⁵", "1.0×10⁻⁵"}));
  EXPECT_EQ(linear(0, 5e30).back(), "5×10³⁰");
  EXPECT_EQ(linear(0, 5e18).back(), "5E");
}

TEST(Axis, PositionsRunFromZeroToOne) {
  const Axis axis(Range{100, 200}, Scale::Linear, Ends::Tight, 5);
  EXPECT_DOUBLE_EQ(axis.position(100), 0);
  EXPECT_DOUBLE_EQ(axis.position(150), 0.5);
  EXPECT_DOUBLE_EQ(axis.position(200), 1);
  const Axis log(Range{1, 10000}, Scale::Log, Ends::Tight, 5);
  EXPECT_DOUBLE_EQ(log.position(100), 0.5);
}

TEST(Axis, StartsAtZeroWhenTheDataNearlyDoes) {
  EXPECT_EQ(linear(1, 100).front(), "0");
  EXPECT_EQ(linear(50, 100).front(), "50");
}

TEST(Axis, Decades) {
  EXPECT_EQ(logarithmic(1, 1e5), (Labels{"1", "10", "100", "1000", "10k", "100k"}));
  EXPECT_EQ(logarithmic(1e-6, 1e-2), (Labels{"10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01"}));
  EXPECT_EQ(logarithmic(1, 20), (Labels{"1", "2", "5", "10", "20"}));
  EXPECT_EQ(logarithmic(2e-5, 1e-4), (Labels{"2×10⁻⁵", "5×10⁻⁵", "10⁻⁴"}));
  // Hardly a decade: round numbers on the logarithmic scale.
  EXPECT_EQ(logarithmic(31, 39), (Labels{"32", "34", "36", "38"}));
  EXPECT_LE(logarithmic(1e-300, 1e300).size(), 9U);
}

TEST(Axis, AnythingGivesAFewTicksInPlace) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<Range> ranges = {{0, 0},
                                     {5, 5},
                                     {-5, -5},
                                     {1e300, 1e300},
                                     {-1e300, 1e300},
                                     {0, tiny},
                                     {-tiny, tiny},
                                     {1e-299, 3e-299},
                                     {1e15, std::nextafter(1e15, 2e15)},
                                     {123456.01, 123456.05},
                                     {1, 1 + 1e-11},
                                     {1e-9, 1e9}};
  for (const Range& range : ranges) {
    for (const Scale scale : {Scale::Linear, Scale::Log}) {
      if (!Axis::can_show(range.low, scale) || !Axis::can_show(range.high, scale)) continue;
      for (const Ends ends : {Ends::Tight, Ends::Roomy}) {
        const Axis axis(range, scale, ends, 5);
        const Labels labels = labels_of(axis);
        EXPECT_GE(labels.size(), 1U) << range.low << ' ' << range.high;
        EXPECT_LE(labels.size(), 12U) << range.low << ' ' << range.high;
        EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size())
            << range.low << ' ' << range.high;
        for (const double value : {range.low, range.high}) {
          EXPECT_GE(axis.position(value), -1e-9);
          EXPECT_LE(axis.position(value), 1 + 1e-9);
        }
        for (const Tick& tick : axis.ticks()) {
          EXPECT_GE(tick.position, 0);
          EXPECT_LE(tick.position, 1);
        }
      }
    }
  }
}

TEST(Axis, RefusesWhatCannotBeShown) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e308}) {
    EXPECT_FALSE(Axis::can_show(value, Scale::Linear)) << value;
    EXPECT_FALSE(Axis::can_show(value, Scale::Log)) << value;
  }
  EXPECT_TRUE(Axis::can_show(0, Scale::Linear));
  EXPECT_FALSE(Axis::can_show(0, Scale::Log));
  EXPECT_FALSE(Axis::can_show(-1, Scale::Log));
}

TEST(Axis, CanBeMarkedAtTheData) {
  Axis axis(Range{8, 8192}, Scale::Log, Ends::Tight, 6);
  axis.mark({8, 16, 64, 8000, 8192});
  ASSERT_EQ(axis.ticks().size(), 5U);
  EXPECT_EQ(axis.ticks()[0].label, "8");
  EXPECT_EQ(axis.ticks()[1].label, "16");
  EXPECT_NEAR(axis.ticks()[2].position, 0.3, 1e-9);
  // Too near to its neighbour for a label.
  EXPECT_EQ(axis.ticks()[3].label, "8000");
  EXPECT_EQ(axis.ticks()[4].label, "");
}

TEST(Axis, WithoutDataThereIsStillAnAxis) {
  EXPECT_FALSE(Axis(std::nullopt, Scale::Linear, Ends::Roomy, 5).ticks().empty());
  EXPECT_FALSE(Axis(std::nullopt, Scale::Log, Ends::Tight, 5).ticks().empty());
}

}  // namespace
}  // namespace memsizer::report
