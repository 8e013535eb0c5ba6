#include "bench/sweep_report.h"

#include <gtest/gtest.h>

#include "model/presets.h"
#include "support/messages.h"

namespace memsizer::bench {
namespace {

using testing::has_text;

// Softmax falls with length, the other is flat; they meet between 64 and 512.
SweepReport example() {
  SweepLists lists;
  lists.variants = variants_of({{"softmax", "memsizer"}, {}, {}, {}});
  lists.lengths = {8, 64, 512};
  GenerationPoint like;
  like.config = preset_config("tiny");
  SweepReport report{"Speeds", {{"processor", "a <fast> one"}}, {}};
  for (const SweepPoint& at : sweep_points(lists, like)) {
    GenerationResult result;
    const bool softmax = at.variant.mechanism == "softmax";
    result.tokens_per_second = softmax ? 40000.0 / static_cast<double>(at.point.length + 20) : 200.0;
    result.peak_resident_bytes = softmax ? 10'000'000 + 1000 * at.point.length : 10'000'000;
    result.state_bytes = softmax ? 1000 * at.point.length : 1000;
    result.peak_gflops = 1.0;
    report.measurements.push_back({at, result});
  }
  return report;
}

TEST(SweepReport, TableHasWhatVariesAndTheFigures) {
  const report::Table table = example().table();
  EXPECT_EQ(table.rows.size(), 6U);
  EXPECT_EQ(table.heads[0], "mechanism");
  EXPECT_TRUE(std::ranges::find(table.heads, "length") != table.heads.end());
  EXPECT_TRUE(std::ranges::find(table.heads, "precision") == table.heads.end());
  EXPECT_TRUE(has_text(table.markdown(), "| memsizer  | 1     | 512    | 200 "));
}

TEST(SweepReport, EverySeriesIsInEveryChart) {
  const auto charts = example().charts();
  ASSERT_EQ(charts.size(), 3U);  // speed, memory, state; nothing was read
  EXPECT_EQ(charts[0].title, "Speed of generation by length");
  EXPECT_EQ(charts[0].x_label, "length (tokens)");
  EXPECT_EQ(charts[0].y_label, "tokens/s");
  for (const report::Chart& chart : charts) {
    ASSERT_EQ(chart.series.size(), 2U);
    for (const report::Series& series : chart.series) EXPECT_EQ(series.points.size(), 3U);
    EXPECT_TRUE(chart.log_x);
  }
}

TEST(SweepReport, NamesTheCrossover) {
  const auto sentences = example().crossovers();
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_TRUE(has_text(sentences[0], "memsizer overtakes softmax between 64 and 512 tokens"));
}

TEST(SweepReport, SaysWhenThereIsNoCrossover) {
  SweepReport report = example();
  for (SweepMeasurement& one : report.measurements) {
    if (one.at.variant.mechanism == "memsizer") one.result->tokens_per_second = 1e6;
  }
  EXPECT_TRUE(has_text(report.crossovers().front(), "faster than softmax at every length"));
  for (SweepMeasurement& one : report.measurements) {
    if (one.at.variant.mechanism == "memsizer") one.result->tokens_per_second = 1;
  }
  EXPECT_TRUE(has_text(report.crossovers().front(), "memsizer is not faster than softmax at 512 tokens"));
}

TEST(SweepReport, AFailedPointIsShownAndLeftOutOfCharts) {
  SweepReport report = example();
  report.measurements[2].result.reset();
  EXPECT_TRUE(has_text(report.markdown(), "failed"));
  EXPECT_EQ(report.json()["points"][2]["failed"], true);
  EXPECT_EQ(report.charts()[0].series[0].points.size(), 2U);
}

TEST(SweepReport, PageIsWholeAndEscaped) {
  const std::string page = example().html();
  EXPECT_TRUE(has_text(page, "a &lt;fast&gt; one"));
  EXPECT_TRUE(has_text(page, "<svg"));
  EXPECT_TRUE(has_text(page, "memsizer overtakes softmax"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

}  // namespace
}  // namespace memsizer::bench
