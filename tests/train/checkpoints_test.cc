#include "train/checkpoints.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/messages.h"
#include "support/temp_dir.h"
#include "train/checkpoint_checksums.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using memsizer::testing::has_text;
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

// A checkpoint of two files.
CheckpointFiles saved(const fs::path& directory) {
  Checkpoints checkpoints = opened(directory);
  checkpoints.save(1, [](const CheckpointFiles& files) {
    std::ofstream(files.optimizer(), std::ios::binary) << "numbers";
    std::ofstream(files.state(), std::ios::binary) << "{}";
  });
  return checkpoints.files(1);
}

std::string verification_of(const CheckpointFiles& files) {
  return message_of([&] { verify_checksums(files); });
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Checkpoints, EveryFlippedBitIsFound) {
  const TempDir dir;
  const CheckpointFiles files = saved(dir / "c");
  EXPECT_EQ(verification_of(files), "no error");
  for (const fs::path& path : {files.optimizer(), files.state(), files.checksums()}) {
    const std::string good = bytes_of(path);
    for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
      std::string flipped = good;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      std::ofstream(path, std::ios::binary) << flipped;
      ASSERT_TRUE(has_text(verification_of(files), files.folder.string() + " is damaged")) << path << bit;
    }
    for (size_t length = 0; length < good.size(); ++length) {
      std::ofstream(path, std::ios::binary) << good.substr(0, length);
      ASSERT_NE(verification_of(files), "no error") << path << length;
    }
    std::ofstream(path, std::ios::binary) << good;
  }
  EXPECT_EQ(verification_of(files), "no error");
}

TEST(Checkpoints, AFileTooFewOrTooManyIsFound) {
  const TempDir dir;
  const CheckpointFiles files = saved(dir / "c");
  std::ofstream(files.model()) << "of another checkpoint";
  EXPECT_TRUE(has_text(verification_of(files), "model.safetensors is not of it"));
  fs::remove(files.model());
  fs::remove(files.optimizer());
  EXPECT_TRUE(has_text(verification_of(files), "optimizer.safetensors is missing"));
}

TEST(Checkpoints, OlderOnesHaveNoChecksums) {
  const TempDir dir;
  const CheckpointFiles files = saved(dir / "c");
  fs::remove(files.checksums());
  EXPECT_EQ(verification_of(files), "no error");
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

TEST(Checkpoints, AReplacementThatWasKilledHalfwayKeepsTheOldOne) {
  const TempDir dir;
  {
    Checkpoints checkpoints = opened(dir / "c");
    save(checkpoints, 1, "old");
    save(checkpoints, 2, "new");
  }
  fs::rename(dir / "c" / "step-00000001", dir / "c" / ".previous-step-00000001");
  fs::create_directories(dir / "c" / ".previous-step-00000002");
  fs::create_directories(dir / "c" / ".replaced-step-00000003");
  const Checkpoints checkpoints = opened(dir / "c");
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(get(checkpoints.files(1).folder), "old");
  EXPECT_EQ(get(checkpoints.files(2).folder), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir / "c"), fs::directory_iterator()), 2);
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
