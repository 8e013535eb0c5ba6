#include "train/run_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/atomic_file.h"
#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using memsizer::testing::has_text;
using memsizer::testing::message_of;
using memsizer::testing::TempDir;

std::string error_of(const RunFolder& folder, bool resume = false) {
  return message_of([&] { const FileLock entered = folder.open(resume); });
}

TEST(RunFolder, ConstructionTouchesNothing) {
  const TempDir dir;
  const RunFolder folder(dir / "run");
  EXPECT_FALSE(fs::exists(folder.path()));
  EXPECT_FALSE(folder.holds_run());
  EXPECT_FALSE(folder.finished());
}

TEST(RunFolder, ARunIsOnlyEnteredToResumeIt) {
  const TempDir dir;
  const RunFolder folder(dir / "a" / "run");
  { const FileLock entered = folder.open(/*resume=*/true); }
  EXPECT_TRUE(fs::is_directory(folder.path()));
  // Nothing has been trained there yet.
  { const FileLock entered = folder.open(/*resume=*/false); }
  write_text(folder.recipe(), "[task]\n");
  EXPECT_TRUE(folder.holds_run());
  EXPECT_TRUE(has_text(error_of(folder), "--resume"));
  EXPECT_EQ(error_of(folder, /*resume=*/true), "no error");
  EXPECT_FALSE(folder.finished());
  write_text(folder.results(), "{}\n");
  EXPECT_TRUE(folder.finished());
}

TEST(RunFolder, IsEnteredByOneRunAtATime) {
  const TempDir dir;
  const RunFolder folder(dir / "run");
  {
    const FileLock entered = folder.open(/*resume=*/false);
    for (const bool resume : {false, true}) {
      const std::string error = error_of(folder, resume);
      EXPECT_TRUE(has_text(error, folder.path().string() + " is in use by process "));
      EXPECT_TRUE(has_text(error, "--out"));
    }
  }
  EXPECT_EQ(error_of(folder), "no error");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RunFolder, WhatAKilledRunWasWritingIsRemoved) {
  const TempDir dir;
  const RunFolder folder(dir.path());
  fs::path temporary;
  {
    const AtomicFile file(folder.metrics());
    temporary = fs::directory_iterator(dir.path())->path();
  }
  std::ofstream(temporary) << "half a li";
  std::ofstream(dir / "mine.tmp") << "kept";
  EXPECT_EQ(error_of(folder), "no error");
  EXPECT_FALSE(fs::exists(temporary));
  EXPECT_TRUE(fs::exists(dir / "mine.tmp"));
}

TEST(RunFolder, AFileInTheWayIsNamed) {
  const TempDir dir;
  std::ofstream(dir / "file") << "x";
  EXPECT_TRUE(has_text(error_of(RunFolder(dir / "file")), (dir / "file").string()));
  EXPECT_TRUE(has_text(error_of(RunFolder(dir / "file" / "run")), "--out"));
}

}  // namespace
}  // namespace memsizer::train
