#pragma once

#include <filesystem>
#include <string_view>

#include "core/file_lock.h"

namespace memsizer::train {

// The folder of one run: the names of the files in it, and the rules for entering it. Constructing it touches
// nothing.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  // Creates the folder and enters it, for as long as the lock lives: two processes in one folder would take
  // each other's checkpoints for their own. One that holds a run already is only entered to `resume` it.
  // UserError.
  [[nodiscard]] FileLock open(bool resume) const;

  const std::filesystem::path& path() const { return path_; }
  // A run writes its recipe when everything it was told has been found good, and its results at its end.
  bool holds_run() const { return std::filesystem::exists(recipe()); }
  bool finished() const { return std::filesystem::exists(results()); }

  std::filesystem::path lock() const { return path_ / ".lock"; }
  std::filesystem::path recipe() const { return path_ / "recipe.toml"; }
  std::filesystem::path tokenizer() const { return path_ / "tokenizer.model"; }
  std::filesystem::path source_tokenizer() const { return path_ / "source_tokenizer.model"; }
  std::filesystem::path cache() const { return path_ / "cache"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path events() const { return path_ / "events"; }
  std::filesystem::path model() const { return path_ / "model.safetensors"; }
  std::filesystem::path test_outputs() const { return path_ / "test.output.txt"; }
  std::filesystem::path results() const { return path_ / "results.json"; }
  std::filesystem::path report() const { return path_ / "report.html"; }

 private:
  std::filesystem::path path_;
};

// Writes a file atomically.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace memsizer::train
