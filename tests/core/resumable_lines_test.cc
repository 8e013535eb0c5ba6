#include "core/resumable_lines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;
using testing::has_text;
using testing::message_of;
using testing::TempDir;

const ResumableLines::Settings kSettings = {{"input", "i1"}, {"model", "m1"}};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void append(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

// Leaves a partial file of two lines behind.
void interrupt(const fs::path& path) {
  ResumableLines lines(path, kSettings);
  lines.add("one");
  lines.add("");
}

TEST(ResumableLines, AppearAtTheEndOnly) {
  const TempDir dir;
  ResumableLines lines(dir / "out", kSettings);
  lines.add("one");
  EXPECT_FALSE(fs::exists(dir / "out"));
  lines.add("");
  lines.commit();
  EXPECT_EQ(read(dir / "out"), "one\n\n");
  EXPECT_FALSE(fs::exists(dir / "out.partial"));
}

TEST(ResumableLines, GoOnAfterTheLastCompleteLine) {
  const TempDir dir;
  interrupt(dir / "out");
  append(dir / "out.partial", "cut thr");
  ResumableLines lines(dir / "out", kSettings);
  EXPECT_EQ(lines.lines(), 2);
  lines.add("three");
  lines.commit();
  EXPECT_EQ(read(dir / "out"), "one\n\nthree\n");
}

TEST(ResumableLines, BeginAnewWhereNotEvenTheSettingsWereWritten) {
  const TempDir dir;
  append(dir / "out.partial", "{\"form");
  ResumableLines lines(dir / "out", kSettings);
  EXPECT_EQ(lines.lines(), 0);
  lines.add("one");
  lines.commit();
  EXPECT_EQ(read(dir / "out"), "one\n");
}

TEST(ResumableLines, RefuseOtherSettingsAndNameThem) {
  const TempDir dir;
  interrupt(dir / "out");
  const std::string before = read(dir / "out.partial");
  const auto open_with = [&](const ResumableLines::Settings& settings) {
    return message_of([&] { const ResumableLines lines(dir / "out", settings); });
  };
  EXPECT_TRUE(has_text(open_with({{"input", "i1"}, {"model", "m2"}}), "begun with another model"));
  EXPECT_TRUE(has_text(open_with({{"input", "i2"}, {"model", "m1"}}), "begun with another input"));
  EXPECT_TRUE(has_text(open_with({{"input", "i1"}}), "begun with other settings"));
  EXPECT_EQ(read(dir / "out.partial"), before);
}

TEST(ResumableLines, RefuseAFileOfSomebodyElse) {
  const TempDir dir;
  for (const char* text : {"a text\n", "[1]\n", "{\"format\":\"memsizer-partial\",\"version\":2}\n"}) {
    fs::remove(dir / "out.partial");
    append(dir / "out.partial", text);
    EXPECT_TRUE(has_text(message_of([&] { const ResumableLines lines(dir / "out", kSettings); }),
                         "was not begun by this version of memsizer"));
    EXPECT_EQ(read(dir / "out.partial"), text);
  }
}

TEST(ResumableLines, AreWrittenByOneAtATime) {
  const TempDir dir;
  const ResumableLines first(dir / "out", kSettings);
  EXPECT_TRUE(has_text(message_of([&] { const ResumableLines second(dir / "out", kSettings); }),
                       "is being written by another process"));
}

TEST(ResumableLines, RefuseAPlaceThatCannotBeWritten) {
  const TempDir dir;
  EXPECT_TRUE(has_text(message_of([&] { const ResumableLines lines(dir / "no" / "out", kSettings); }),
                       "cannot write"));
  EXPECT_TRUE(has_text(message_of([&] { const ResumableLines lines(dir.path(), kSettings); }), "directory"));
}

}  // namespace
}  // namespace memsizer
