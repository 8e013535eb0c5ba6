#include "cli/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/enum_value.h"
#include "core/error.h"
#include "core/safetensors.h"
#include "model/model_checksum.h"
#include "model/model_file.h"
#include "model/presets.h"
#include "model/shortlist.h"
#include "model/state_size.h"
#include "model/tensor_check.h"
#include "model/tensor_list.h"

namespace memsizer::cli {
namespace {

struct InfoOptions {
  std::string file;
  std::string preset;
  std::vector<std::string> settings;
  int64_t source_tokens = 32;
  int64_t target_tokens = 32;
  bool json = false;
  bool list_options = false;
  bool list_tensors = false;
};

// What is true of a model file besides its configuration.
struct ModelFacts {
  int64_t version = 0;
  std::string task;
  std::string weights;
  int64_t file_bytes = 0;
  std::optional<std::string> stored_checksum;  // files of version 1 have none
  std::string found_checksum;
  std::string problem;  // why the tensors do not fit the configuration; empty: they do
  std::shared_ptr<const Shortlist> shortlist;

  bool checksum_ok() const { return stored_checksum == found_checksum; }
};

struct Part {
  std::string name;
  int64_t parameters = 0;
};

// Parameters by part, in the order in which the parts first appear.
std::vector<Part> parameters_by_part(const std::vector<TensorSpec>& tensors) {
  std::vector<Part> parts;
  for (const TensorSpec& tensor : tensors) {
    if (tensor.role == TensorRole::Buffer) continue;
    auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == tensor.part; });
    if (found == parts.end()) found = parts.insert(parts.end(), Part{tensor.part});
    found->parameters += tensor.elements();
  }
  return parts;
}

// 1234567 -> "1,234,567"
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, ",");
  return digits;
}

nlohmann::json tensors_as_json(const std::vector<TensorSpec>& tensors) {
  nlohmann::json list = nlohmann::json::array();
  for (const TensorSpec& tensor : tensors) list.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  return list;
}

void print_mechanisms(const ModelConfig& config) {
  const auto print = [](const char* position, const PerLayer<Mechanism>& stack) {
    std::vector<std::string_view> names;
    for (const Mechanism& mechanism : stack.values()) names.push_back(mechanism.name());
    fmt::print("{:<23} {}\n", position, fmt::join(names, ", "));
  };
  if (config.has_encoder()) print("encoder self-attention", config.encoder.self);
  print("decoder self-attention", config.decoder.self);
  if (config.has_encoder()) print("decoder cross-attention", config.decoder.cross);
}

nlohmann::json as_json(const StateSize& size) {
  return {{"constant_bytes", size.constant_bytes},
          {"bytes_per_target_token", size.bytes_per_target_token},
          {"bytes_per_source_token", size.bytes_per_source_token}};
}

// One object per decoder layer: its mechanisms, what each of them keeps, and what that comes to.
nlohmann::json layer_states(const ModelConfig& config) {
  nlohmann::json layers = nlohmann::json::array();
  const std::vector<LayerStateSize> sizes = layer_state_sizes(config);
  for (size_t i = 0; i < sizes.size(); ++i) {
    nlohmann::json layer = as_json(sizes[i].total());
    const auto add = [&](const char* key, Position position, const StateSize& size) {
      const MixerConfig mixer = mixer_config(config, position, static_cast<int64_t>(i));
      layer[key] = as_json(size);
      layer[key]["mechanism"] = mixer.mechanism.name();
      for (const StateField& field : mixer.state())
        layer[key]["fields"].push_back(
            {{"name", field.name}, {"shape", field.shape}, {"bytes", field.bytes()}});
    };
    add("self", Position::CausalSelf, sizes[i].self);
    if (config.has_encoder()) add("cross", Position::Cross, sizes[i].cross);
    layers.push_back(std::move(layer));
  }
  return layers;
}

// Layers that differ are listed one by one.
void print_layer_states(const ModelConfig& config, const InfoOptions& options) {
  const std::vector<LayerStateSize> sizes = layer_state_sizes(config);
  const auto same = [&](const LayerStateSize& size) { return size.total() == sizes.front().total(); };
  if (std::ranges::all_of(sizes, same)) return;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto name = [&](Position position) {
      return mixer_config(config, position, static_cast<int64_t>(i)).mechanism.name();
    };
    std::string mechanisms(name(Position::CausalSelf));
    if (config.has_encoder()) mechanisms += fmt::format(", {}", name(Position::Cross));
    fmt::print("  {:<26} {:>15}  {}\n", fmt::format("layer {}", i),
               grouped(sizes[i].total().at(options.target_tokens, options.source_tokens)), mechanisms);
  }
}

ModelFacts model_facts(const SafetensorsFile& file, const ModelDescription& description) {
  ModelFacts facts{.version = description.version,
                   .task = std::string(enum_name(description.task)),
                   .weights = std::string(weight_type_name(description.weights)),
                   .file_bytes = static_cast<int64_t>(std::filesystem::file_size(file.path())),
                   .stored_checksum = {},
                   .found_checksum = model_checksum(file),
                   .problem = {},
                   .shortlist = description.shortlist};
  const auto stored = file.metadata().find(kChecksumKey);
  if (stored != file.metadata().end()) facts.stored_checksum = stored->second;
  try {
    check_tensors(file, description);
  } catch (const UserError& error) {
    facts.problem = error.what();
  }
  return facts;
}

nlohmann::json facts_as_json(const ModelFacts& facts, const std::string& file) {
  nlohmann::json json = {{"path", file},        {"format", "memsizer-model"}, {"version", facts.version},
                         {"task", facts.task},  {"weights", facts.weights},   {"bytes", facts.file_bytes},
                         {"checksum", nullptr}, {"checksum_ok", nullptr},     {"problem", nullptr}};
  if (facts.stored_checksum) {
    json["checksum"] = *facts.stored_checksum;
    json["checksum_ok"] = facts.checksum_ok();
  }
  if (!facts.problem.empty()) json["problem"] = facts.problem;
  json["shortlist"] = nullptr;
  if (facts.shortlist) {
    json["shortlist"] = {{"frequent", facts.shortlist->frequent().size()},
                         {"entries", facts.shortlist->entries()}};
  }
  return json;
}

void print_facts(const ModelFacts& facts, const std::string& file) {
  fmt::print("{}: memsizer-model, version {}\n", file, facts.version);
  fmt::print("task                    {}\n", facts.task);
  fmt::print("weights                 {}\n", facts.weights);
  fmt::print("file bytes              {}\n", grouped(facts.file_bytes));
  if (!facts.stored_checksum) {
    fmt::print("checksum                none\n");
  } else if (facts.checksum_ok()) {
    fmt::print("checksum                ok ({})\n", facts.found_checksum);
  } else {
    fmt::print("checksum                wrong: found {}, expected {}; copy the file again\n",
               facts.found_checksum, printable_name(*facts.stored_checksum));
  }
  if (facts.shortlist) {
    fmt::print("shortlist               {} frequent tokens, {} translations of source tokens\n",
               grouped(std::ssize(facts.shortlist->frequent())), grouped(facts.shortlist->entries()));
  }
  if (!facts.problem.empty()) fmt::print("tensors                 {}\n", facts.problem);
}

// Of a configuration alone, or of the model file that it is in.
void print_model(ModelConfig config, const InfoOptions& options, const ModelFacts* facts = nullptr) {
  const std::vector<TensorSpec> tensors = tensor_list(config);
  const std::vector<Part> parts = parameters_by_part(tensors);
  const int64_t total = count_parameters(tensors);
  const StateSize state = decoder_state_size(config);
  const int64_t state_bytes = state.at(options.target_tokens, options.source_tokens);
  if (options.json) {
    nlohmann::json json;
    json["config"] = options_to_json(collect_options(config, ""));
    json["parameters"]["total"] = total;
    for (const Part& part : parts) json["parameters"][part.name] = part.parameters;
    json["state"] = as_json(state);
    json["state"].update({{"source_tokens", options.source_tokens},
                          {"target_tokens", options.target_tokens},
                          {"bytes", state_bytes},
                          {"layers", layer_states(config)}});
    json["weights_bytes_fp32"] = 4 * total;
    if (options.list_tensors) json["tensors"] = tensors_as_json(tensors);
    if (facts) json["file"] = facts_as_json(*facts, options.file);
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  if (facts) print_facts(*facts, options.file);
  print_mechanisms(config);
  fmt::print("\nparameters\n");
  for (const Part& part : parts) {
    fmt::print("  {:<26} {:>15}  {:5.1f} %\n", part.name, grouped(part.parameters),
               100.0 * static_cast<double>(part.parameters) / static_cast<double>(total));
  }
  fmt::print("  {:<26} {:>15}\n", "total", grouped(total));
  fmt::print("  {:<26} {:>15}\n", "bytes in fp32", grouped(4 * total));
  fmt::print("\nstate of one sequence, in bytes\n");
  fmt::print("  {:<26} {:>15}\n", "constant", grouped(state.constant_bytes));
  fmt::print("  {:<26} {:>15}\n", "for each target token", grouped(state.bytes_per_target_token));
  if (config.has_encoder())
    fmt::print("  {:<26} {:>15}\n", "for each source token", grouped(state.bytes_per_source_token));
  const std::string at = config.has_encoder()
                             ? fmt::format("at {} + {} tokens", options.source_tokens, options.target_tokens)
                             : fmt::format("at {} tokens", options.target_tokens);
  fmt::print("  {:<26} {:>15}\n", at, grouped(state_bytes));
  print_layer_states(config, options);
  if (!options.list_tensors) return;
  fmt::print("\ntensors\n");
  for (const TensorSpec& tensor : tensors)
    fmt::print("  {} [{}]\n", tensor.name, fmt::join(tensor.shape, ", "));
}

void print_options(ModelConfig config, const InfoOptions& options) {
  const std::vector<OptionRef> list = collect_options(config, "model");
  if (options.json) {
    nlohmann::json json = nlohmann::json::array();
    for (const OptionRef& option : list) {
      json.push_back({{"key", option.path},
                      {"value", option.get()},
                      {"expects", option.expects},
                      {"help", option.help}});
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (const OptionRef& option : list) {
    fmt::print("{:<34} {:<18} {}\n", option.path, option.get().dump(), option.help);
  }
}

// What is shown of a damaged file is shown; the exit code tells a script.
void require_sound(const ModelFacts& facts, const std::string& file) {
  if (facts.stored_checksum && !facts.checksum_ok()) {
    throw UserError("'{}' is damaged: its checksum is {}, expected {}; copy it again", file,
                    facts.found_checksum, printable_name(*facts.stored_checksum));
  }
  if (!facts.problem.empty()) throw UserError(facts.problem);
}

void print_file(const InfoOptions& options) {
  const SafetensorsFile file = SafetensorsFile::open(options.file);
  if (is_model(file.metadata())) {
    const ModelDescription description = read_description(file);
    const ModelFacts facts = model_facts(file, description);
    print_model(description.config, options, &facts);
    return require_sound(facts, options.file);
  }
  int64_t elements = 0;
  int64_t bytes = 0;
  for (const std::string& name : file.names()) {
    elements += file.tensor(name).elements();
    bytes += static_cast<int64_t>(file.tensor(name).data.size());
  }
  if (options.json) {
    nlohmann::json json = {{"file", options.file},
                           {"metadata", file.metadata()},
                           {"tensors", file.names().size()},
                           {"elements", elements},
                           {"bytes", bytes}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {} tensors, {} numbers, {} bytes\n", options.file, file.names().size(), grouped(elements),
             grouped(bytes));
  for (const auto& [key, value] : file.metadata())
    fmt::print("  {}: {}\n", printable_name(key), printable_name(value));
  if (!options.list_tensors) return;
  for (const std::string& name : file.names()) {
    const TensorView& tensor = file.tensor(name);
    fmt::print("  {} {} [{}]\n", printable_name(name), dtype_name(tensor.dtype),
               fmt::join(tensor.shape, ", "));
  }
}

void run_info(const InfoOptions& options) {
  if (options.file.empty() == options.preset.empty()) {
    throw UserError(
        "info takes a model file or --preset NAME, found {}; try memsizer info --preset transformer-big",
        options.file.empty() ? "neither" : "both");
  }
  if (options.source_tokens < 0 || options.target_tokens < 0) {
    throw UserError("token counts are {} and {}; they cannot be negative", options.source_tokens,
                    options.target_tokens);
  }
  if (!options.file.empty()) {
    if (!options.settings.empty())
      throw UserError("--set changes a preset; the configuration of a file is fixed");
    return print_file(options);
  }
  ModelConfig config = preset_config(options.preset);
  const std::vector<OptionRef> known = collect_options(config, "model");
  for (const std::string& setting : options.settings) set_option_assignment(known, setting);
  if (options.list_options) return print_options(config, options);
  config.validate();
  print_model(config, options);
}

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info", "Parameters by part, state bytes and options of a model, without building it");
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  command->add_option("file", options->file, "a model, or any safetensors file");
  command->add_option("--preset", options->preset, fmt::format("a named shape: {}", fmt::join(names, ", ")));
  add_settings_option(*command, options->settings);
  command->add_option("--source-tokens", options->source_tokens, "source length to give state bytes for")
      ->capture_default_str();
  command->add_option("--target-tokens", options->target_tokens, "target length to give state bytes for")
      ->capture_default_str();
  command->add_flag("--options", options->list_options,
                    "list every option of the preset with its value and meaning");
  command->add_flag("--tensors", options->list_tensors, "list every tensor");
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_info(*options); });
}

}  // namespace memsizer::cli
