#include <memory>

#include "cli/command_line.h"
#include "train/quickstart.h"

namespace {

void add_quickstart(CLI::App& app) {
  auto options = std::make_shared<memsizer::train::QuickstartOptions>();
  CLI::App* command =
      app.add_subcommand("quickstart", "Train a small model on generated data and generate with it");
  command->add_option("--steps", options->steps, "training steps")->capture_default_str();
  command->add_option("--seed", options->seed, "seed of weights and data")->capture_default_str();
  command->add_option("--threads", options->threads, "threads; 0 takes all cores")->capture_default_str();
  command->callback([options] { memsizer::train::run_quickstart(*options); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The part of memsizer that needs LibTorch; memsizer runs it", "memsizer-train");
  app.require_subcommand(1);
  add_quickstart(app);
  return memsizer::cli::run_program(app, argc, argv);
}
