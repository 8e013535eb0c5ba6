#include "cli/quantize.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "core/error.h"
#include "model/model_file.h"
#include "model/quantize.h"

namespace memsizer::cli {
namespace {

namespace fs = std::filesystem;

struct QuantizeCommand {
  std::string model;
  std::string to;
  std::string out;
};

WeightType target_type(const std::string& name) {
  for (const WeightType type : {WeightType::I8, WeightType::BF16}) {
    if (name == weight_type_name(type)) return type;
  }
  const std::vector<std::string> names = {"int8", "bf16"};
  throw UserError("--to takes int8 or bf16, found '{}'{}", name, did_you_mean(name, names));
}

void run_quantize(const QuantizeCommand& command) {
  const WeightType type = target_type(command.to);
  // Before writing: --out may name the same file.
  const fs::path model = model_path(command.model);
  std::error_code unread;
  const auto before = fs::file_size(model, unread);
  quantize_model(model, type, command.out);
  fmt::print(
      "{}: {} weights, {} bytes, {:.1f} % of {}\n", command.out, command.to, fs::file_size(command.out),
      100.0 * static_cast<double>(fs::file_size(command.out)) / static_cast<double>(before), model.string());
}

}  // namespace

void add_quantize(CLI::App& app) {
  auto options = std::make_shared<QuantizeCommand>();
  CLI::App* command = app.add_subcommand("quantize", "Make a smaller and faster model file of 8 or 16 bits");
  command->add_option("--model", options->model, "a model file or checkpoint folder")->required();
  command->add_option("--to", options->to, "int8 (a quarter of the size) or bf16 (half)")->required();
  command->add_option("--out", options->out, "the model file to write")->required();
  command->callback([options] { run_quantize(*options); });
}

}  // namespace memsizer::cli
