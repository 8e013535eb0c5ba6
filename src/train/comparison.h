#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/variant.h"
#include "train/recipe.h"
#include "train/run_folder.h"

namespace memsizer::train {

// One training of a comparison: a recipe with one mechanism and one seed, in a folder of its own.
struct ComparisonRun {
  Variant variant;
  int64_t seed = 1;
  std::filesystem::path folder;
  std::vector<std::string> settings;  // what `memsizer train` is told besides the recipe
  Recipe recipe;                      // the same, resolved

  RunFolder files() const { return RunFolder(folder); }
  // Whether it has been trained to its end.
  bool finished() const { return files().finished(); }
  // What its training prints.
  std::filesystem::path log() const { return folder.string() + ".log"; }
};

// What is compared, and where the runs lie: out/VARIANT/seed-N, with one cache of tokenised text.
struct ComparisonPlan {
  std::filesystem::path recipe;
  std::vector<std::string> settings;
  VariantLists variants;
  std::vector<int64_t> seeds = {1};
  std::filesystem::path out;
};

// Every run, seeds fastest. A mistake in the recipe or a variant, and a folder that holds a run of another
// recipe, are UserErrors: they are found before anything is trained.
std::vector<ComparisonRun> plan_runs(const ComparisonPlan& plan);

}  // namespace memsizer::train
