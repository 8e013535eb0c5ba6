#include "train/run_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using memsizer::testing::has_text;
using memsizer::testing::message_of;
using memsizer::testing::TempDir;

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
  folder.open(/*resume=*/true);
  EXPECT_TRUE(fs::is_directory(folder.path()));
  // Nothing has been trained there yet.
  folder.open(/*resume=*/false);
  write_text(folder.recipe(), "[task]\n");
  EXPECT_TRUE(folder.holds_run());
  EXPECT_TRUE(has_text(message_of([&] { folder.open(/*resume=*/false); }), "--resume"));
  EXPECT_EQ(message_of([&] { folder.open(/*resume=*/true); }), "no error");
  EXPECT_FALSE(folder.finished());
  write_text(folder.results(), "{}\n");
  EXPECT_TRUE(folder.finished());
}

TEST(RunFolder, AFileInTheWayIsNamed) {
  const TempDir dir;
  std::ofstream(dir / "file") << "x";
  EXPECT_TRUE(
      has_text(message_of([&] { RunFolder(dir / "file").open(/*resume=*/false); }), (dir / "file").string()));
  EXPECT_TRUE(has_text(message_of([&] { RunFolder(dir / "file" / "run").open(/*resume=*/false); }), "--out"));
}

}  // namespace
}  // namespace memsizer::train
