#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace memsizer::train {

// The files in the folder of one checkpoint.
struct CheckpointFiles {
  std::filesystem::path folder;

  std::filesystem::path model() const { return folder / "model.safetensors"; }  // a complete model file
  std::filesystem::path optimizer() const { return folder / "optimizer.safetensors"; }
  std::filesystem::path state() const { return folder / "trainer.json"; }
  std::filesystem::path checksums() const { return folder / "checksums.json"; }  // of the others
};

// The checkpoints of one run: a folder "step-00000500" each. One is written under another name, flushed to
// disk and renamed, so that a folder of that name is always complete, whatever happens meanwhile.
class Checkpoints {
 public:
  explicit Checkpoints(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Creates the folder and removes what a killed run left unfinished. Not writable: UserError.
  void open() const;

  // `write` fills the new checkpoint's folder; the checksums of its files are added. On any failure the older
  // checkpoints are untouched.
  void save(int64_t step, const std::function<void(const CheckpointFiles& files)>& write);

  // Steps that have a checkpoint, ascending.
  std::vector<int64_t> steps() const;
  CheckpointFiles files(int64_t step) const;

  // Deletes all but the last `keep` and `best`.
  void prune(int64_t keep, int64_t best);

 private:
  // Renames the new folder; one of the same step gives way to it, or stays if that fails.
  void put_in_place(const std::filesystem::path& unfinished, const std::filesystem::path& final_path,
                    const std::filesystem::path& previous) const;

  std::filesystem::path directory_;
};

}  // namespace memsizer::train
