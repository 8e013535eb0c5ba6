#include "report/training_report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::report {
namespace {

using namespace std::string_literals;
using testing::has_text;
using testing::message_of;
using testing::TempDir;

std::string page_of(const TrainingReport& report) {
  const TempDir dir;
  write_training_report(dir / "report.html", report);
  std::ifstream in(dir / "report.html", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TrainingReport example() {
  const Chart chart{.title = "Loss",
                    .x_label = "step",
                    .y_label = "nats",
                    .log_x = false,
                    .log_y = false,
                    .series = {{"train", {{0, 1}, {1, 2}}}}};
  return {.title = "demo",
          .summary = {{"Steps", "100"}, {"BLEU", "31.4"}},
          .charts = {chart, chart},
          .samples = {{"a house", "ein altes Haus", "ein neues Haus"}},
          .recipe = "\n[model]\nlayers = 2\n"};
}

bool lacks(const std::string& page, const std::string& part) {
  return page.find(part) == std::string::npos;
}

TEST(TrainingReport, HoldsAllItsParts) {
  const std::string page = page_of(example());
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_TRUE(has_text(page, "<title>demo</title>"));
  EXPECT_TRUE(has_text(page, "<h1>demo</h1>"));
  EXPECT_TRUE(has_text(page, "<th scope=\"row\">BLEU</th><td>31.4</td>"));
  EXPECT_TRUE(has_text(page, "<figure>\n<svg"));
  EXPECT_TRUE(has_text(page, "a house</td>"));
  EXPECT_TRUE(has_text(page, "<pre>\n\n[model]\nlayers = 2\n</pre>"));
}

TEST(TrainingReport, MarksWhatDiffers) {
  const std::string page = page_of(example());
  EXPECT_TRUE(has_text(page, ">ein <del class=\"lost\">altes</del> Haus</td>"));
  EXPECT_TRUE(has_text(page, ">ein <ins class=\"new\">neues</ins> Haus</td>"));
}

TEST(TrainingReport, StandsAlone) {
  const std::string page = page_of(example());
  for (const char* part :
       {"<script", "<link", "<img", "<iframe", "@import", "url(", "src=", "href=", "https:"}) {
    EXPECT_TRUE(lacks(page, part)) << part;
  }
  // The name of the SVG language, which no browser fetches.
  std::string rest = page;
  const std::string name = "xmlns=\"http://www.w3.org/2000/svg\"";
  for (size_t at = rest.find(name); at != std::string::npos; at = rest.find(name))
    rest.erase(at, name.size());
  EXPECT_TRUE(lacks(rest, "http:"));
}

TEST(TrainingReport, LightDarkAndPrint) {
  const std::string page = page_of(example());
  EXPECT_TRUE(has_text(page, "prefers-color-scheme: dark"));
  EXPECT_TRUE(has_text(page, "@media print"));
  EXPECT_TRUE(has_text(page, "currentColor"));
}

TEST(TrainingReport, HostileTextIsEscapedEverywhere) {
  const std::string hostile = "</pre></title><script>alert(\"x\")</script>'\xff\x1b\0&"s;
  TrainingReport report = example();
  report.title = report.recipe = hostile;
  report.summary = {{hostile, hostile}};
  report.charts[0].title = report.charts[0].x_label = report.charts[0].series[0].name = hostile;
  report.samples = {{hostile, hostile, hostile}, {hostile, hostile, ""}, {hostile, "", hostile}};
  const std::string page = page_of(report);
  EXPECT_TRUE(lacks(page, "<script"));
  EXPECT_TRUE(lacks(page, "\xff"));
  EXPECT_TRUE(lacks(page, "\x1b"));
  EXPECT_TRUE(lacks(page, "\0"s));
  EXPECT_TRUE(has_text(page, "<h1>&lt;/pre&gt;&lt;/title&gt;&lt;script&gt;alert(&quot;x&quot;)"));
  EXPECT_TRUE(has_text(page, "<pre>\n&lt;/pre&gt;"));
  EXPECT_TRUE(has_text(page, "<del class=\"lost\">&lt;/pre&gt;"));
  EXPECT_EQ(page.find("</pre>"), page.rfind("</pre>"));
}

TEST(TrainingReport, EmptyPartsAreLeftOut) {
  const std::string page = page_of({});
  for (const char* part : {"<table", "<figure", "<details", "<h2>"}) EXPECT_TRUE(lacks(page, part)) << part;
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST(TrainingReport, SamplesWithoutReferenceOrOutput) {
  TrainingReport report = example();
  report.samples = {{"once upon", "", "a time"}, {"x", "y", ""}, {"x", "", ""}};
  const std::string page = page_of(report);
  EXPECT_TRUE(has_text(page, "(none)</i></td><td data-label=\"Output\" dir=\"auto\">a time</td>"));
  EXPECT_TRUE(has_text(page, "<del class=\"lost\">y</del></td><td data-label=\"Output\" dir=\"auto\"><i "));
}

TEST(TrainingReport, UnusablePlace) {
  const TempDir dir;
  EXPECT_TRUE(has_text(message_of([&] { write_training_report(dir / "no/such/r.html", example()); }),
                       "create the directory"));
}

}  // namespace
}  // namespace memsizer::report
