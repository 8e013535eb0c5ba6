#include <memory>

#include "cli/command_line.h"
#include "cli/compare.h"
#include "cli/train.h"
#include "train/quickstart.h"

namespace {

void add_quickstart(CLI::App& app) {
  auto options = std::make_shared<memsizer::train::QuickstartOptions>();
  CLI::App* command = app.add_subcommand(
      "quickstart", "Train a small English-German translator on generated sentences and try it");
  command->add_option("--out", options->folder, "folder of the run")->capture_default_str();
  command->add_option("--updates", options->updates, "training updates")->capture_default_str();
  command->add_option("--seed", options->seed, "seed of weights and data")->capture_default_str();
  command->add_option("--threads", options->threads, "threads; 0 takes all cores")->capture_default_str();
  command->callback([options] { memsizer::train::run_quickstart(*options); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The part of memsizer that needs LibTorch; memsizer runs it", "memsizer-train");
  app.require_subcommand(1);
  memsizer::cli::add_compare(app);
  memsizer::cli::add_train(app);
  add_quickstart(app);
  return memsizer::cli::run_program(app, argc, argv);
}
