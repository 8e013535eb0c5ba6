#include "cli/average.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/model_file.h"

namespace memsizer::cli {
namespace {

namespace fs = std::filesystem;

struct AverageCommand {
  std::vector<std::string> models;
  std::string out;
};

void run_average(const AverageCommand& command) {
  std::vector<fs::path> files;
  for (const std::string& model : command.models) files.push_back(model_path(model));
  average_models(files, command.out);
  fmt::print("{}: the mean of {} models\n", command.out, files.size());
}

}  // namespace

void add_average(CLI::App& app) {
  auto options = std::make_shared<AverageCommand>();
  CLI::App* command = app.add_subcommand("average", "Make one model of the mean of several checkpoints");
  command->add_option("models", options->models, "checkpoint folders or model files")->required();
  command->add_option("--out", options->out, "the model file to write")->required();
  command->callback([options] { run_average(*options); });
}

}  // namespace memsizer::cli
