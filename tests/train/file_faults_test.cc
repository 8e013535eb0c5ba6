// Every write, sync and rename of what is written to disk fails once: an error each time, earlier results
// intact, nothing left behind, and the next attempt succeeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/resumable_lines.h"
#include "core/safetensors.h"
#include "support/failing_files.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "text/token_file.h"
#include "train/checkpoint_checksums.h"
#include "train/checkpoints.h"
#include "train/run_folder.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using memsizer::testing::FailingFiles;
using memsizer::testing::has_text;
using memsizer::testing::message_of;
using memsizer::testing::TempDir;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

// action() once with each of its calls failing, then once with none; the number of its calls. `check` is told
// whether a call failed.
template <typename Action, typename Check>
int64_t fail_each_call(const Action& action, const Check& check) {
  for (int64_t nth = 0;; ++nth) {
    SCOPED_TRACE(fmt::format("call {}", nth));
    bool failed = false;
    std::string error;
    {
      const FailingFiles failing(nth);
      error = message_of(action);
      failed = failing.failed();
    }
    EXPECT_EQ(error == "no error", !failed) << error;
    if (failed) {
      EXPECT_TRUE(has_text(error, "No space left on device"));
    }
    check(failed);
    if (!failed || ::testing::Test::HasFatalFailure()) return nth;
  }
}

void write_whole(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text.substr(0, 3));
  file.write(text.substr(3));
  file.commit();
}

TEST(FileFaults, AFileIsTheOldOneOrTheNewOne) {
  const TempDir dir;
  write_whole(dir / "f", "the old text");
  const int64_t calls =
      fail_each_call([&] { write_whole(dir / "f", "the new text"); },
                     [&](bool failed) {
                       const std::string text = read(dir / "f");
                       EXPECT_TRUE(text == "the new text" || (failed && text == "the old text"));
                       EXPECT_EQ(names_in(dir.path()), std::set<std::string>{"f"});
                     });
  EXPECT_EQ(calls, 5);  // two writes, sync, rename, sync of the folder
}

TEST(FileFaults, ANewFileAppearsWholeOrNotAtAll) {
  const TempDir dir;
  fail_each_call([&] { write_whole(dir / "f", "the new text"); },
                 [&](bool /*failed*/) {
                   if (fs::exists(dir / "f")) {
                     EXPECT_EQ(read(dir / "f"), "the new text");
                   }
                   EXPECT_LE(names_in(dir.path()).size(), 1U);
                   fs::remove(dir / "f");
                 });
}

// What every checkpoint consists of: tensors and text.
void fill(const CheckpointFiles& files, const std::string& text) {
  const std::vector<float> numbers(1000, 0.5F);
  const std::vector<NamedTensor> tensors = {{text, DType::F32, {1000}, std::as_bytes(std::span(numbers))}};
  write_safetensors(files.model(), tensors, {});
  write_safetensors(files.optimizer(), tensors, {});
  write_text(files.state(), text);
}

// All checkpoints are complete, and nothing is beside them.
void expect_sound(const fs::path& directory, const Checkpoints& checkpoints) {
  const std::vector<int64_t> steps = checkpoints.steps();
  for (const int64_t step : steps) EXPECT_NO_THROW(verify_checksums(checkpoints.files(step)));
  EXPECT_EQ(names_in(directory).size(), steps.size());
}

TEST(FileFaults, ACheckpointCostsNoEarlierOne) {
  const TempDir dir;
  Checkpoints checkpoints(dir / "c");
  checkpoints.open();
  checkpoints.save(1, [](const CheckpointFiles& files) { fill(files, "first"); });
  const int64_t calls = fail_each_call(
      [&] { checkpoints.save(2, [](const CheckpointFiles& files) { fill(files, "second"); }); },
      [&](bool failed) {
        expect_sound(dir / "c", checkpoints);
        EXPECT_EQ(read(checkpoints.files(1).state()), "first");
        const bool there = fs::exists(checkpoints.files(2).folder);
        EXPECT_TRUE(there || failed);
        if (there) {
          EXPECT_EQ(read(checkpoints.files(2).state()), "second");
        }
        fs::remove_all(checkpoints.files(2).folder);
      });
  EXPECT_GE(calls, 4 * 4 + 3);
}

TEST(FileFaults, ACheckpointThatIsReplacedIsTheOldOneOrTheNewOne) {
  const TempDir dir;
  Checkpoints checkpoints(dir / "c");
  checkpoints.open();
  checkpoints.save(1, [](const CheckpointFiles& files) { fill(files, "old"); });
  fail_each_call([&] { checkpoints.save(1, [](const CheckpointFiles& files) { fill(files, "new"); }); },
                 [&](bool failed) {
                   ASSERT_EQ(checkpoints.steps(), std::vector<int64_t>{1});
                   expect_sound(dir / "c", checkpoints);
                   const std::string text = read(checkpoints.files(1).state());
                   EXPECT_TRUE(text == "new" || (failed && text == "old")) << text;
                 });
}

TEST(FileFaults, LinesGoOnAfterTheLastThatWasWritten) {
  const TempDir dir;
  const auto write_lines = [&] {
    ResumableLines lines(dir / "out", {{"model", "m"}});
    for (int64_t i = lines.lines(); i < 3; ++i) lines.add(fmt::format("line {}", i));
    lines.commit();
  };
  fail_each_call(write_lines, [&](bool /*failed*/) {
    if (!fs::exists(dir / "out")) {
      EXPECT_EQ(message_of(write_lines), "no error");
    }
    EXPECT_EQ(read(dir / "out"), "line 0\nline 1\nline 2\n");
    fs::remove(dir / "out");
    fs::remove(dir / "out.partial");
    EXPECT_TRUE(names_in(dir.path()).empty());
  });
}

TEST(FileFaults, TokensAreCachedWholeOrNotAtAll) {
  const TempDir dir;
  const std::string key(32, 'k');
  const std::vector<int32_t> tokens = {5, 6, 2};
  fail_each_call(
      [&] {
        text::TokenFileWriter writer(dir.path());
        writer.add(tokens, tokens, 1);
        writer.finish(dir / "tokens", key, text::CorpusReport{});
      },
      [&](bool failed) {
        const auto file = text::TokenFile::open(dir / "tokens", key);
        EXPECT_TRUE(file || failed);
        EXPECT_EQ(names_in(dir.path()).size(), file ? 1U : 0U);
        fs::remove(dir / "tokens");
      });
}

}  // namespace
}  // namespace memsizer::train
