#include "train/checkpoints.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using memsizer::testing::message_of;
using memsizer::testing::TempDir;

void put(const fs::path& folder, const std::string& text) {
  std::ofstream(folder / "file") << text;
}

std::string get(const fs::path& folder) {
  std::ifstream file(folder / "file");
  std::string text;
  file >> text;
  return text;
}

Checkpoints opened(const fs::path& directory) {
  Checkpoints checkpoints(directory);
  checkpoints.open();
  return checkpoints;
}

void save(Checkpoints& checkpoints, int64_t step, const std::string& text) {
  checkpoints.save(step, [&](const CheckpointFiles& files) { put(files.folder, text); });
}

TEST(Checkpoints, AreListedInOrderAndPruned) {
  const TempDir dir;
  Checkpoints checkpoints = opened(dir / "c");
  for (const int64_t step : {100, 20, 3000, 400}) save(checkpoints, step, "x");
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{20, 100, 400, 3000}));
  checkpoints.prune(2, 20);
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{20, 400, 3000}));
  checkpoints.prune(2, -1);
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{400, 3000}));
  checkpoints.prune(10, -1);
  EXPECT_EQ(checkpoints.steps().size(), 2U);
}

TEST(Checkpoints, AFailedWriteLeavesTheOldOnes) {
  const TempDir dir;
  Checkpoints checkpoints = opened(dir / "c");
  save(checkpoints, 1, "good");
  const auto failing = [&](const CheckpointFiles& files) {
    put(files.folder, "half");
    throw std::runtime_error("disk full");
  };
  EXPECT_THROW(checkpoints.save(2, failing), std::runtime_error);
  EXPECT_THROW(checkpoints.save(1, failing), std::runtime_error);
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{1}));
  EXPECT_EQ(get(checkpoints.files(1).folder), "good");
}

TEST(Checkpoints, SavingAgainReplaces) {
  const TempDir dir;
  Checkpoints checkpoints = opened(dir / "c");
  save(checkpoints, 1, "old");
  save(checkpoints, 1, "new");
  EXPECT_EQ(get(checkpoints.files(1).folder), "new");
}

TEST(Checkpoints, WhatAKilledRunLeftIsNoCheckpoint) {
  const TempDir dir;
  fs::create_directories(dir / "c" / ".unfinished-step-00000007");
  fs::create_directories(dir / "c" / "step-x");
  std::ofstream(dir / "c" / "step-00000009") << "a file";
  const Checkpoints checkpoints = opened(dir / "c");
  EXPECT_TRUE(checkpoints.steps().empty());
  EXPECT_FALSE(fs::exists(dir / "c" / ".unfinished-step-00000007"));
}

TEST(Checkpoints, ConstructionTouchesNothing) {
  const TempDir dir;
  fs::create_directories(dir / "c" / ".unfinished-step-00000007");
  const Checkpoints existing(dir / "c");
  const Checkpoints missing(dir / "d");
  EXPECT_TRUE(fs::exists(dir / "c" / ".unfinished-step-00000007"));
  EXPECT_FALSE(fs::exists(dir / "d"));
}

TEST(Checkpoints, AFolderThatCannotBeIsNamed) {
  const TempDir dir;
  std::ofstream(dir / "file") << "x";
  EXPECT_NE(message_of([&] { opened(dir / "file" / "c"); }).find("--out"), std::string::npos);
}

}  // namespace
}  // namespace memsizer::train
