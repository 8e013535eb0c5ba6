#include "report/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "support/messages.h"

namespace memsizer::report {
namespace {

using testing::has_text;

Chart example() {
  return {.title = "Loss",
          .x_label = "step",
          .y_label = "loss (nats)",
          .log_x = false,
          .log_y = false,
          .series = {{"train", {{0, 5}, {100, 3}, {200, 2}}}, {"valid", {{100, 3.5}, {200, 2.5}}}}};
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The tags of a document, without their brackets. (std::regex recurses per character, too deep for long
// paths.)
std::vector<std::string> tags_of(const std::string& svg) {
  std::vector<std::string> tags;
  for (size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    tags.push_back(svg.substr(at + 1, svg.find('>', at) - at - 1));
  }
  return tags;
}

std::string attribute(const std::string& tag, const std::string& name) {
  const std::string start = " " + name + "=\"";
  const size_t at = tag.find(start);
  if (at == std::string::npos) return "";
  return tag.substr(at + start.size(), tag.find('"', at + start.size()) - at - start.size());
}

// The path of each line, legend samples left out.
std::vector<std::string> paths_of(const std::string& svg) {
  std::vector<std::string> paths;
  for (const std::string& tag : tags_of(svg)) {
    if (attribute(tag, "class").starts_with("line-") && !attribute(tag, "stroke-linecap").empty()) {
      paths.push_back(attribute(tag, "d"));
    }
  }
  return paths;
}

// Elements known and closed in order, quotes paired, no bare ampersand: enough of XML to catch what escaping
// misses.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (const std::string& tag : tags_of(svg)) {
    EXPECT_EQ(tag.find('<'), std::string::npos) << tag;
    EXPECT_EQ(count(tag, "\"") % 2, 0U) << tag;
    const std::string name = tag.substr(0, tag.find(' '));
    if (name.starts_with('/')) {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(open.back(), name.substr(1));
      open.pop_back();
      continue;
    }
    EXPECT_TRUE(std::set<std::string>({"svg", "g", "path", "text", "title"}).contains(name)) << tag;
    if (!tag.ends_with('/')) open.push_back(name);
  }
  EXPECT_EQ(count(svg, "<"), count(svg, ">"));
  for (size_t at = svg.find('&'); at != std::string::npos; at = svg.find('&', at + 1)) {
    const std::string entity = svg.substr(at, svg.find(';', at) + 1 - at);
    EXPECT_TRUE(std::set<std::string>({"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}).contains(entity))
        << entity;
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Chart, SaysWhatItShows) {
  const std::string svg = example().svg();
  expect_well_formed(svg);
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(has_text(svg, " viewBox=\"0 0 560 "));
  EXPECT_EQ(svg.find(" width="), std::string::npos);
  for (const char* text : {"Loss", "step", "loss (nats)", "train", "valid"}) {
    EXPECT_TRUE(has_text(svg, std::string(">") + text + "</text>"));
  }
  EXPECT_EQ(paths_of(svg).size(), 2U);
}

TEST(Chart, OneSeriesHasALegendToo) {
  Chart chart = example();
  chart.series.resize(1);
  EXPECT_TRUE(has_text(chart.svg(), ">train</text>"));
}

TEST(Chart, PointsLieWhereTheyBelong) {
  const std::string path = paths_of(example().svg()).at(0);
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  ASSERT_EQ(std::sscanf(path.c_str(), "M%lf %lfL%lf %lfL%lf %lf", &x0, &y0, &x1, &y1, &x2, &y2), 6) << path;
  EXPECT_NEAR(x1 - x0, x2 - x1, 0.2);
  EXPECT_NEAR(y1 - y0, 2 * (y2 - y1), 0.4);
  EXPECT_GT(y1, y0);
}

TEST(Chart, ShowsZeroAndMarksTheDataIfAsked) {
  Chart chart = example();
  chart.series = {{"memory", {{8, 100}, {64, 104}}}};
  EXPECT_FALSE(has_text(chart.svg(), ">0</text>"));
  chart.from_zero = true;
  chart.x_ticks = {8, 64};
  const std::string svg = chart.svg();
  EXPECT_TRUE(has_text(svg, ">0</text>"));
  EXPECT_TRUE(has_text(svg, ">8</text>"));
  EXPECT_TRUE(has_text(svg, ">64</text>"));
}

TEST(Chart, HostileTextIsEscaped) {
  Chart chart = example();
  chart.title = "</text><script>alert('1')</script>\x01";
  chart.x_label = "a & b \xff";
  chart.y_label = "\"quoted\"\n";
  chart.series[0].name = "<b>x</b>";
  chart.series[1].name = "--><!--";
  const std::string svg = chart.svg();
  expect_well_formed(svg);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_TRUE(has_text(svg, "&lt;script&gt;alert(&#39;1&#39;)"));
  EXPECT_TRUE(has_text(svg, "a &amp; b \ufffd"));
  EXPECT_TRUE(has_text(svg, "&lt;b&gt;x&lt;/b&gt;"));
}

TEST(Chart, LongNamesAreCutButNotLost) {
  Chart chart = example();
  chart.series[0].name = std::string(300, 'n');
  chart.title = std::string(300, 't');
  const std::string svg = chart.svg();
  expect_well_formed(svg);
  EXPECT_TRUE(has_text(svg, "<title>" + chart.series[0].name + "</title>"));
  EXPECT_TRUE(has_text(svg, "ttt...<title>"));
}

TEST(Chart, NoData) {
  Chart chart = example();
  chart.series.clear();
  expect_well_formed(chart.svg());
  EXPECT_TRUE(has_text(chart.svg(), ">no data</text>"));
  chart.series = {{"empty", {}}, {"nothing", {{std::nan(""), 1}, {1, HUGE_VAL}}}};
  for (const bool log : {false, true}) {
    chart.log_x = chart.log_y = log;
    const std::string svg = chart.svg();
    expect_well_formed(svg);
    EXPECT_TRUE(has_text(svg, ">no data</text>"));
    EXPECT_TRUE(has_text(svg, ">empty (no data)</text>"));
    EXPECT_TRUE(has_text(svg, ">nothing (no data)</text>"));
    EXPECT_TRUE(paths_of(svg).empty());
  }
}

TEST(Chart, OnePointIsADotWithAMarker) {
  Chart chart = example();
  chart.series = {{"one", {{5, 3}}}};
  const std::string svg = chart.svg();
  expect_well_formed(svg);
  EXPECT_TRUE(paths_of(svg).at(0).ends_with("h0"));
  EXPECT_EQ(count(svg, "class=\"mark-0\""), 2U);  // the point and the legend
}

TEST(Chart, ConstantAndExtremeValues) {
  for (const double value : {0.0, 7.0, -7.0, 1e300, 1e-300, 5e-324, 1e17}) {
    Chart chart = example();
    chart.series = {{"same", {{0, value}, {1, value}}}};
    expect_well_formed(chart.svg());
    EXPECT_EQ(paths_of(chart.svg()).size(), 1U) << value;
    chart.series = {{"wide", {{-value, -value}, {value, value}}}};
    expect_well_formed(chart.svg());
  }
}

TEST(Chart, PointsThatAreNoNumbersInterruptTheLine) {
  Chart chart = example();
  chart.series = {{"gaps", {{0, 1}, {1, 2}, {2, std::nan("")}, {3, 3}, {4, HUGE_VAL}, {5, 1}, {6, 2}}}};
  const std::string svg = chart.svg();
  expect_well_formed(svg);
  EXPECT_EQ(count(paths_of(svg).at(0), "M"), 3U);
  EXPECT_EQ(count(paths_of(svg).at(0), "L"), 2U);
}

TEST(Chart, LogAxesSkipWhatHasNoLogarithm) {
  Chart chart = example();
  chart.log_x = chart.log_y = true;
  chart.series = {
      {"power", {{0, 1}, {1, 1e-6}, {10, 1e-4}, {100, 0}, {1000, 1}, {10000, -1}, {100000, 1e4}}}};
  const std::string svg = chart.svg();
  expect_well_formed(svg);
  EXPECT_EQ(count(paths_of(svg).at(0), "M"), 3U);
  EXPECT_TRUE(has_text(svg, ">100</text>"));
  EXPECT_TRUE(has_text(svg, ">100k</text>"));
}

TEST(Chart, ThousandsOfPointsAreThinnedButKeepTheirPeaks) {
  Chart chart = example();
  Series noisy{"noisy", {}};
  for (int i = 0; i < 200'000; ++i) noisy.points.emplace_back(i, i % 7);
  noisy.points[123'456].second = 100;
  chart.series = {noisy};
  const std::string svg = chart.svg();
  EXPECT_LT(svg.size(), 60'000U);
  const std::string path = paths_of(svg).at(0);
  // The top of the plot is where the peak of 100 must reach.
  EXPECT_EQ(count(path, " 40.0"), 1U);
}

TEST(Chart, SeriesAreToldApartWithoutColour) {
  Chart chart = example();
  chart.series.clear();
  for (int i = 0; i < 12; ++i) chart.series.push_back({"s" + std::to_string(i), {{0, i}, {1, i}}});
  const std::string svg = chart.svg();
  expect_well_formed(svg);
  std::set<std::string> looks;
  std::set<std::string> shapes;
  for (const std::string& tag : tags_of(svg)) {
    if (!attribute(tag, "class").starts_with("mark-")) continue;
    const std::string path = attribute(tag, "d");
    const std::string shape = path.substr(path.find('m'));
    shapes.insert(shape);
    looks.insert(shape + attribute(tag, "fill"));
  }
  EXPECT_EQ(looks.size(), 12U);
  EXPECT_EQ(shapes.size(), 6U);
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(has_text(svg, ">s" + std::to_string(i) + "</text>"));
}

}  // namespace
}  // namespace memsizer::report
