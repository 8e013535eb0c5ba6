#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "train/comparison.h"

namespace memsizer::train {

// Trains runs in processes of their own, `jobs` at a time, and shows how far they are. A run that was begun
// goes on from its last checkpoint; a finished one is left alone.
class TrainingJobs {
 public:
  TrainingJobs(std::filesystem::path recipe, std::vector<ComparisonRun> runs, int jobs);

  // `on_finished` is called after each run that was trained here. False: SIGINT or SIGTERM came; every run
  // has saved a checkpoint and ended. A run that fails is a UserError with the last line of its log, once the
  // others have saved and ended.
  bool run(const std::function<void()>& on_finished);

 private:
  std::filesystem::path recipe_;
  std::vector<ComparisonRun> runs_;
  int jobs_;
};

}  // namespace memsizer::train
