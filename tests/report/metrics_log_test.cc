#include "report/metrics_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::report {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::has_text;
using testing::message_of;
using testing::TempDir;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(MetricsLog, LinesCarryStepKindAndValues) {
  const TempDir dir;
  MetricsLog log(dir / "metrics.jsonl", -1);
  log.write(10, "train", {{"loss", 3.5}, {"lr", 0.0005}});
  log.write(20, "valid", {});
  // Read while the log is open: each line is on disk when write() returns.
  EXPECT_EQ(
      content(dir / "metrics.jsonl"),
      "{\"step\":10,\"kind\":\"train\",\"loss\":3.5,\"lr\":0.0005}\n{\"step\":20,\"kind\":\"valid\"}\n");
  const auto lines = MetricsLog::read(dir / "metrics.jsonl");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].at("loss"), 3.5);
  EXPECT_EQ(lines[1].at("kind"), "valid");
}

TEST(MetricsLog, ValuesThatAreNoNumbersAreNull) {
  const TempDir dir;
  MetricsLog log(dir / "m", -1);
  log.write(1, "train",
            {{"a", std::nan("")}, {"b", std::numeric_limits<double>::infinity()}, {"c", 0.1}, {"d", 1e-300}});
  const auto line = MetricsLog::read(dir / "m").at(0);
  EXPECT_TRUE(line.at("a").is_null());
  EXPECT_TRUE(line.at("b").is_null());
  EXPECT_EQ(line.at("c").get<double>(), 0.1);
  EXPECT_EQ(line.at("d").get<double>(), 1e-300);
}

TEST(MetricsLog, HostileNamesStayOnTheirLine) {
  const TempDir dir;
  MetricsLog log(dir / "m", -1);
  log.write(1, "a\n\xff", {{"x\"\n", 1}});
  EXPECT_EQ(MetricsLog::read(dir / "m").at(0).at("x\"\n"), 1);
  EXPECT_THROW(log.write(1, "train", {{"step", 3}}), std::logic_error);
}

TEST(MetricsLog, StartsEmpty) {
  const TempDir dir;
  put(dir / "m", "anything, not even metrics\n");
  const MetricsLog log(dir / "m", -1);
  EXPECT_EQ(content(dir / "m"), "");
}

TEST(MetricsLog, ResumeCutsOffLaterSteps) {
  const TempDir dir;
  {
    MetricsLog log(dir / "m", -1);
    for (int64_t step = 0; step <= 50; step += 10) {
      log.write(step, "train", {{"loss", 1}});
      log.write(step, "valid", {{"loss", 2}});
    }
  }
  MetricsLog log(dir / "m", 30);
  EXPECT_EQ(MetricsLog::read(dir / "m").size(), 8U);
  EXPECT_EQ(MetricsLog::read(dir / "m").back().at("step"), 30);
  log.write(40, "train", {{"loss", 0.5}});
  EXPECT_EQ(MetricsLog::read(dir / "m").size(), 9U);
  EXPECT_EQ(MetricsLog::read(dir / "m").back().at("loss"), 0.5);
}

TEST(MetricsLog, ResumeAtZeroKeepsStepZero) {
  const TempDir dir;
  put(dir / "m", "{\"step\":0}\n{\"step\":1}\n{\"step\":18446744073709551615}\n{\"step\":-1}\n");
  const MetricsLog log(dir / "m", 0);
  EXPECT_EQ(content(dir / "m"), "{\"step\":0}\n{\"step\":-1}\n");
}

TEST(MetricsLog, ResumeWithoutAFileStartsOne) {
  const TempDir dir;
  MetricsLog log(dir / "m", 100);
  log.write(101, "train", {});
  EXPECT_EQ(MetricsLog::read(dir / "m").size(), 1U);
}

TEST(MetricsLog, TornLastLineIsDropped) {
  const TempDir dir;
  for (const std::string& torn : {"{"s, "{\"step\":2,\"los"s, "{\"step\":2,\"loss\":1"s, "\0\0\0"s}) {
    put(dir / "m", "{\"step\":1}\n" + torn);
    EXPECT_EQ(MetricsLog::read(dir / "m").size(), 1U) << torn;
    MetricsLog log(dir / "m", 5);
    log.write(6, "train", {});
    EXPECT_EQ(content(dir / "m"), "{\"step\":1}\n{\"step\":6,\"kind\":\"train\"}\n") << torn;
  }
}

TEST(MetricsLog, WholeLastLineWithoutItsEndIsKept) {
  const TempDir dir;
  put(dir / "m", "{\"step\":1}\n\n{\"step\":2}");
  MetricsLog log(dir / "m", 5);
  log.write(6, "train", {});
  EXPECT_EQ(content(dir / "m"), "{\"step\":1}\n{\"step\":2}\n{\"step\":6,\"kind\":\"train\"}\n");
}

TEST(MetricsLog, ForeignLinesAreRefusedAndNothingIsLost) {
  const TempDir dir;
  for (const std::string line : {"notes", "[1]", "{\"loss\":1}", "{\"step\":1.5}", "{\"step\":\"1\"}", "7"}) {
    const std::string text = "{\"step\":1}\n" + line + "\n{\"step\":3}\n";
    put(dir / "m", text);
    EXPECT_TRUE(has_text(message_of([&] { MetricsLog(dir / "m", 5); }), "line 2")) << line;
    EXPECT_TRUE(has_text(message_of([&] { MetricsLog::read(dir / "m"); }), "line 2")) << line;
    EXPECT_EQ(content(dir / "m"), text);
  }
}

TEST(MetricsLog, DeepNestingIsHarmless) {
  const TempDir dir;
  put(dir / "m", "{\"step\":1,\"x\":" + std::string(200000, '[') + std::string(200000, ']') + "}\n");
  EXPECT_EQ(MetricsLog::read(dir / "m").size(), 1U);
}

TEST(MetricsLog, UnusablePaths) {
  const TempDir dir;
  EXPECT_TRUE(has_text(message_of([&] { MetricsLog(dir / "missing" / "m", -1); }), "create the directory"));
  EXPECT_TRUE(has_text(message_of([&] { MetricsLog(dir.path(), -1); }), "found a directory"));
  EXPECT_TRUE(has_text(message_of([&] { MetricsLog(dir.path(), 3); }), "cannot read"));
  EXPECT_TRUE(has_text(message_of([&] { MetricsLog::read(dir / "missing"); }), "cannot read"));
  EXPECT_TRUE(has_text(message_of([&] { MetricsLog::read(dir.path()); }), "cannot read"));
}

TEST(MetricsLog, NoTemporaryFilesAreLeft) {
  const TempDir dir;
  { MetricsLog log(dir / "m", -1); }
  { MetricsLog log(dir / "m", 1); }
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 1);
}

}  // namespace
}  // namespace memsizer::report
