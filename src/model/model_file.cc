#include "model/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/content_hash.h"
#include "core/enum_value.h"
#include "mechanisms/registry.h"
#include "model/config_difference.h"
#include "model/finite_weights.h"
#include "model/model_checksum.h"
#include "model/shortlist.h"
#include "model/tensor_check.h"

namespace memsizer {
namespace {

constexpr std::string_view kFormat = "memsizer-model";
constexpr std::string_view kTokenizer = "tokenizer";
constexpr std::string_view kSourceTokenizer = "source_tokenizer";
// The key of the metadata that says which tokenizers the shortlist is for.
constexpr auto kShortlistKey = "shortlist";

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const TensorView& view) {
  return {reinterpret_cast<const char*>(view.data.data()), view.data.size()};
}

const std::string& required(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) {
    throw UserError("{} is not a MemSizer model: its metadata has no '{}'; make one with memsizer train",
                    file.path().string(), key);
  }
  return found->second;
}

nlohmann::json json_of(const SafetensorsFile& file, const std::string& key) {
  // Writing JSON recurses, and no configuration is nested this deep.
  constexpr int kMaxDepth = 16;
  const auto refuse_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth <= kMaxDepth) return true;
    throw UserError("{}: metadata '{}' is nested more than {} deep; the file is damaged",
                    file.path().string(), key, kMaxDepth);
  };
  nlohmann::json json = nlohmann::json::parse(required(file, key), refuse_depth, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw UserError("{}: metadata '{}' is not a JSON object; the file is damaged", file.path().string(), key);
  }
  return json;
}

int64_t version_of(const SafetensorsFile& file) {
  const std::string& version = required(file, "version");
  for (int64_t known = 1; known <= kModelVersion; ++known) {
    if (version == std::to_string(known)) return known;
  }
  throw UserError("{} is of model version '{}'; this program reads versions 1 to {}: use a newer memsizer",
                  file.path().string(), printable_name(version), kModelVersion);
}

WeightType weights_of(const SafetensorsFile& file) {
  const auto stored = file.metadata().find("weights");
  // Version 1 had but one type.
  if (stored == file.metadata().end()) return WeightType::F32;
  if (const auto type = parse_weight_type(stored->second)) return *type;
  throw UserError("{} has weights of type '{}'; expected f32, bf16 or int8: use a newer memsizer",
                  file.path().string(), printable_name(stored->second));
}

// Files of other versions may have fewer options, or others: what is not known says nothing to this program.
GenerationOptions generation_of(const SafetensorsFile& file) {
  GenerationOptions generation;
  if (!file.metadata().contains("generation")) return generation;
  const nlohmann::json stored = json_of(file, "generation");
  nlohmann::json known = nlohmann::json::object();
  const std::vector<OptionRef> options = collect_options(generation, "");
  for (const OptionRef& option : options) {
    if (stored.contains(option.path)) known[option.path] = stored.at(option.path);
  }
  options_from_json(options, known);
  return generation;
}

// The oldest version that can say what a file of such metadata holds.
std::string version_to_write(const std::map<std::string, std::string>& metadata) {
  return metadata.contains(kShortlistKey) ? "3" : "2";
}

std::string tokenizers_hash(const ModelDescription& description) {
  ContentHash hash;
  hash.field(description.tokenizer);
  hash.field(description.source_tokenizer);
  return hash.hex();
}

std::shared_ptr<const Shortlist> shortlist_of(const SafetensorsFile& file,
                                              const ModelDescription& description) {
  const auto made_for = file.metadata().find(kShortlistKey);
  if (made_for == file.metadata().end()) return nullptr;
  try {
    if (made_for->second != tokenizers_hash(description)) {
      throw UserError(
          "'{}': its shortlist was made for another tokenizer; run memsizer shortlist on the model it came "
          "from",
          file.path().string());
    }
    return std::make_shared<const Shortlist>(Shortlist::read(file, description.config));
  } catch (const UserError&) {
    // Damage first: it explains what does not fit.
    verify_checksum(file);
    throw;
  }
}

template <typename T>
void add_to(std::vector<double>& sums, std::span<const std::byte> data) {
  for (size_t i = 0; i < sums.size(); ++i) {
    T value;
    std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
    sums[i] += static_cast<double>(value);
  }
}

template <typename T>
std::vector<std::byte> mean_of(const std::vector<double>& sums, double count) {
  std::vector<std::byte> data(sums.size() * sizeof(T));
  for (size_t i = 0; i < sums.size(); ++i) {
    const double mean = sums[i] / count;
    const T value = static_cast<T>(std::is_integral_v<T> ? std::floor(mean) : mean);
    std::memcpy(data.data() + i * sizeof(T), &value, sizeof(T));
  }
  return data;
}

template <typename T>
std::vector<std::byte> averaged(std::span<const SafetensorsFile> files, const std::string& name) {
  std::vector<double> sums(static_cast<size_t>(files.back().tensor(name).elements()));
  for (const SafetensorsFile& file : files) add_to<T>(sums, file.tensor(name).data);
  return mean_of<T>(sums, static_cast<double>(files.size()));
}

std::vector<std::byte> averaged_tensor(std::span<const SafetensorsFile> files, const std::string& name) {
  switch (files.back().tensor(name).dtype) {
    case DType::F32:
      return averaged<float>(files, name);
    case DType::F64:
      return averaged<double>(files, name);
    case DType::I64:
      return averaged<int64_t>(files, name);
    case DType::I32:
      return averaged<int32_t>(files, name);
    default:
      throw UserError(
          "{}: tensor {} is of type {}; only F32, F64, I32 and I64 are averaged: average before quantizing",
          files.back().path().string(), printable_name(name), dtype_name(files.back().tensor(name).dtype));
  }
}

void require_same_model(const SafetensorsFile& a, const SafetensorsFile& b) {
  const ModelDescription left = read_description(a);
  const ModelDescription right = read_description(b);
  if (const auto found = first_difference(left.config, right.config)) {
    throw UserError("{} is {} in {} but {} in {}; only models of one configuration can be averaged",
                    found->option, found->theirs, a.path().string(), found->ours, b.path().string());
  }
  if (left.tokenizer != right.tokenizer || left.source_tokenizer != right.source_tokenizer) {
    throw UserError("{} and {} have different tokenizers; only models of one vocabulary can be averaged",
                    a.path().string(), b.path().string());
  }
}

void require_same_tensors(const SafetensorsFile& a, const SafetensorsFile& b) {
  if (a.names().size() != b.names().size()) {
    throw UserError("{} has {} tensors but {} has {}; only models of the same shape can be averaged",
                    a.path().string(), a.names().size(), b.path().string(), b.names().size());
  }
  for (const std::string& name : a.names()) {
    const TensorView& left = a.tensor(name);
    const TensorView& right = b.tensor(name);
    if (left.dtype != right.dtype || left.shape != right.shape) {
      throw UserError("tensor {} differs between {} and {}; only models of the same shape can be averaged",
                      printable_name(name), a.path().string(), b.path().string());
    }
  }
}

}  // namespace

Task task_of(Architecture architecture) {
  return architecture == Architecture::LanguageModel ? Task::LanguageModel : Task::Translation;
}

Task task_of(Architecture architecture, std::string_view name) {
  const Task usual = task_of(architecture);
  const Task named = enum_value<Task>(name).value_or(usual);
  const bool fits = (named == Task::LanguageModel) == (usual == Task::LanguageModel);
  return fits ? named : usual;
}

bool is_model(const std::map<std::string, std::string>& metadata) {
  const auto format = metadata.find("format");
  return format != metadata.end() && format->second == kFormat;
}

namespace {

bool uses(const ModelConfig& config, Mechanism mechanism) {
  const auto has = [&](const PerLayer<Mechanism>& layers) {
    return std::ranges::find(layers.values(), mechanism) != layers.values().end();
  };
  return has(config.encoder.self) || has(config.decoder.self) || has(config.decoder.cross);
}

// Presets came later than the format: an older program reads what has none of them.
bool is_of_unused_preset(const OptionRef& option, const ModelConfig& config) {
  return std::ranges::any_of(mechanisms(), [&](Mechanism mechanism) {
    return mechanism.traits().preset && option.path.starts_with(std::string(mechanism.name()) + ".") &&
           !uses(config, mechanism);
  });
}

}  // namespace

std::map<std::string, std::string> model_metadata(const ModelDescription& description) {
  ModelConfig config = description.config;
  std::vector<OptionRef> options = collect_options(config, "");
  std::erase_if(options, [&](const OptionRef& option) {
    return option.left_out() || is_of_unused_preset(option, description.config);
  });
  GenerationOptions generation = description.generation;
  std::map<std::string, std::string> metadata = {
      {"format", std::string(kFormat)},
      {"task", std::string(enum_name(description.task))},
      {"weights", std::string(weight_type_name(description.weights))},
      {"config", options_to_json(options).dump()},
      {"generation", options_to_json(collect_options(generation, "")).dump()}};
  if (description.shortlist) metadata[kShortlistKey] = tokenizers_hash(description);
  metadata["version"] = version_to_write(metadata);
  return metadata;
}

std::vector<NamedTensor> tokenizer_tensors(const ModelDescription& description) {
  std::vector<NamedTensor> tensors;
  const auto add = [&](std::string_view name, const std::string& bytes) {
    if (bytes.empty()) return;
    tensors.push_back({std::string(name), DType::U8, {static_cast<int64_t>(bytes.size())}, bytes_of(bytes)});
  };
  add(kTokenizer, description.tokenizer);
  add(kSourceTokenizer, description.source_tokenizer);
  return tensors;
}

bool is_tokenizer_tensor(std::string_view name) {
  return name == kTokenizer || name == kSourceTokenizer;
}

void write_model(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                 std::map<std::string, std::string> metadata) {
  for (const NamedTensor& tensor : tensors) require_finite(path, tensor.name, tensor.dtype, tensor.data);
  metadata["version"] = version_to_write(metadata);
  metadata[kChecksumKey] = model_checksum(tensors, metadata);
  write_safetensors(path, tensors, metadata);
}

ModelDescription read_description(const SafetensorsFile& file) {
  if (required(file, "format") != kFormat) {
    throw UserError("{} is of format '{}'; expected {}", file.path().string(),
                    printable_name(required(file, "format")), kFormat);
  }
  ModelDescription description;
  description.version = version_of(file);
  description.weights = weights_of(file);
  try {
    description.generation = generation_of(file);
    const nlohmann::json config = json_of(file, "config");
    description.config.mechanism_options.set_unnamed(config);
    options_from_json(collect_options(description.config, ""), config);
    description.config.validate();
  } catch (const UserError& error) {
    throw UserError("{}: its configuration does not fit: {}", file.path().string(), error.what());
  }
  const auto task = file.metadata().find("task");
  description.task = task_of(description.config.architecture,
                             task == file.metadata().end() ? std::string_view() : task->second);
  if (file.contains(kTokenizer)) description.tokenizer = text_of(file.tensor(kTokenizer));
  if (file.contains(kSourceTokenizer)) description.source_tokenizer = text_of(file.tensor(kSourceTokenizer));
  description.shortlist = shortlist_of(file, description);
  return description;
}

std::filesystem::path model_path(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / "model.safetensors" : path;
}

void add_shortlist(const std::filesystem::path& model, const Shortlist& shortlist,
                   const std::filesystem::path& out) {
  const SafetensorsFile file = SafetensorsFile::open(model);
  verify_checksum(file);
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    const TensorView& view = file.tensor(name);
    if (!is_shortlist_tensor(name)) tensors.push_back({name, view.dtype, view.shape, view.data});
  }
  for (NamedTensor& tensor : shortlist.tensors()) tensors.push_back(std::move(tensor));
  std::map<std::string, std::string> metadata = file.metadata();
  metadata[kShortlistKey] = tokenizers_hash(read_description(file));
  write_model(out, tensors, std::move(metadata));
}

void average_models(std::span<const std::filesystem::path> models, const std::filesystem::path& out) {
  if (models.empty()) throw UserError("no model to average; give at least one model file");
  std::vector<SafetensorsFile> files;
  for (const std::filesystem::path& path : models) files.push_back(SafetensorsFile::open(path));
  for (const SafetensorsFile& file : files) verify_checksum(file);
  for (const SafetensorsFile& file : files) require_same_model(file, files.back());
  for (const SafetensorsFile& file : files) require_same_tensors(file, files.back());
  for (const SafetensorsFile& file : files) require_finite(file);
  std::vector<std::vector<std::byte>> kept;
  std::vector<NamedTensor> tensors;
  for (const std::string& name : files.back().names()) {
    const TensorView& view = files.back().tensor(name);
    if (is_tokenizer_tensor(name) || is_shortlist_tensor(name)) {
      tensors.push_back({name, view.dtype, view.shape, view.data});
      continue;
    }
    kept.push_back(averaged_tensor(files, name));
    tensors.push_back({name, view.dtype, view.shape, kept.back()});
  }
  write_model(out, tensors, files.back().metadata());
}

}  // namespace memsizer
