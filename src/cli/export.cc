#include "cli/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "model/model_file.h"
#include "model/quantize.h"

namespace memsizer::cli {
namespace {

struct ExportCommand {
  std::string checkpoint;
  std::string out;
};

void run_export(const ExportCommand& command) {
  export_model(command.checkpoint, command.out);
  const int64_t version = read_description(SafetensorsFile::open(command.out)).version;
  fmt::print("{}: a model of version {}, {} bytes\n", command.out, version,
             std::filesystem::file_size(command.out));
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "Check a checkpoint and write it as one model file");
  command->add_option("checkpoint", options->checkpoint, "a checkpoint folder or model file")->required();
  command->add_option("--out", options->out, "the model file to write")->required();
  command->callback([options] { run_export(*options); });
}

}  // namespace memsizer::cli
