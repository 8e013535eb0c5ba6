#include "train/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "core/error.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;

// What makes a run another one. Where its text lies and how many threads it had does not; its vocabulary is
// known only once the tokenizer is there.
std::string identity(Recipe recipe) {
  recipe.data.directory.clear();
  recipe.data.cache.clear();
  recipe.training.threads = 0;
  recipe.model.vocab = 0;
  recipe.model.source_vocab = 0;
  return recipe.to_toml();
}

// A training checks its model once the vocabulary is there; here any that fits will do.
void check_model(ModelConfig model) {
  if (!model.adaptive.cutoffs.empty()) model.vocab = std::max(model.vocab, model.adaptive.cutoffs.back() + 1);
  model.source_vocab = 0;
  model.validate();
}

void require_same_run(const ComparisonRun& run) {
  const fs::path path = run.files().recipe();
  std::ifstream file(path);
  if (!file) return;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (identity(parse_recipe(text, path.string(), {})) == identity(run.recipe)) return;
  throw UserError(
      "{} holds a run of another recipe; compare with the settings it was trained with, or choose another "
      "folder with --out",
      run.folder.string());
}

}  // namespace

std::vector<ComparisonRun> plan_runs(const ComparisonPlan& plan) {
  const Recipe base = load_recipe(plan.recipe, plan.settings);
  std::vector<std::string> settings = plan.settings;
  if (base.data.cache.empty()) settings.push_back("data.cache=" + (plan.out / "cache").string());
  if (plan.seeds.empty()) throw UserError("no seed given; expected one or more, such as --seeds 1,2,3");
  std::vector<ComparisonRun> runs;
  std::set<fs::path> folders;
  for (const Variant& variant : variants_of(plan.variants)) {
    for (const int64_t seed : plan.seeds) {
      ComparisonRun run{
          variant, seed, plan.out / variant.name() / fmt::format("seed-{}", seed), settings, {}};
      for (const std::string& setting : variant.settings(base.model)) run.settings.push_back(setting);
      run.settings.push_back(fmt::format("training.seed={}", seed));
      run.recipe = load_recipe(plan.recipe, run.settings);
      check_model(run.recipe.model);
      if (!folders.insert(run.folder).second)
        throw UserError("{} with seed {} was asked for twice; name each once", variant.name(), seed);
      require_same_run(run);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

}  // namespace memsizer::train
