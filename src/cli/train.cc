#include "cli/train.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "train/process.h"
#include "train/trainer.h"

namespace memsizer::cli {
namespace {

struct TrainCommand {
  std::string recipe;
  std::string out;
  std::vector<std::string> settings;
  bool resume = false;
  bool list_options = false;
};

void print_scores(const std::string& name, const report::Scalars& scores) {
  if (scores.empty()) return;
  fmt::print("{:<7}", name);
  for (const auto& [key, value] : scores) fmt::print(" {} {:.2f} ", key, value);
  fmt::print("\n");
}

void print_options(const std::vector<std::string>& settings) {
  train::Recipe recipe;
  const std::vector<OptionRef> options = collect_options(recipe, "");
  for (const std::string& setting : settings) set_option_assignment(options, setting);
  for (const OptionRef& option : options) {
    fmt::print("{:<38} {:<18} {}\n", option.path, option.get().dump(), option.help);
  }
}

void run_train(const TrainCommand& command) {
  if (command.list_options) return print_options(command.settings);
  if (command.recipe.empty()) {
    throw UserError(
        "no recipe given; try memsizer train recipes/multi30k-en-de.toml --set data.directory=DIR");
  }
  train::keep_tensor_memory();
  const train::Recipe recipe = train::load_recipe(command.recipe, command.settings);
  std::filesystem::path out = command.out;
  if (command.out.empty()) {
    out = "runs";
    out /= std::filesystem::path(command.recipe).stem();
  }
  train::Trainer trainer(recipe, out, command.resume);
  const train::TrainingResult result = trainer.run();
  if (!result.finished && result.updates == 0) {
    fmt::print("stopped before the first update; start again with --resume\n");
    return;
  }
  if (!result.finished) {
    fmt::print("stopped after update {}; everything is saved, go on with --resume\n", result.updates);
    return;
  }
  fmt::print("trained {} updates in {:.1f} minutes\n", result.updates, result.seconds / 60.0);
  print_scores("valid", result.valid);
  print_scores("test", result.test);
  fmt::print("model   {}\nreport  {}\n", result.model.string(), train::RunFolder(out).report().string());
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainCommand>();
  CLI::App* command = app.add_subcommand("train", "Train a model from text, as a recipe says");
  command->add_option("recipe", options->recipe, "a TOML file, such as recipes/multi30k-en-de.toml");
  add_settings_option(*command, options->settings);
  command->add_option("--out", options->out, "folder of the run: checkpoints, log, model [runs/RECIPE]");
  command->add_flag("--resume", options->resume, "go on from the folder's last checkpoint");
  command->add_flag("--options", options->list_options,
                    "list every option of a recipe with its default and meaning");
  command->callback([options] { run_train(*options); });
}

}  // namespace memsizer::cli
