#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/generation_options.h"
#include "core/safetensors.h"
#include "core/task.h"
#include "core/weight_type.h"
#include "model/model_config.h"

// A model is one safetensors file: its weights, its configuration as JSON in the metadata, and its
// tokenizers inside as tensors of bytes. A checkpoint's weights are such a file too.
namespace memsizer {

class Shortlist;

// The newest version that can be read. Version 2 added the checksum and the types of weights, version 3 the
// shortlist; a file is written in the oldest version from 2 on that can say what it holds.
inline constexpr int64_t kModelVersion = 3;

struct ModelDescription {
  ModelConfig config;
  Task task = Task::Translation;
  std::string tokenizer;         // of the target, or of both sides (text/tokenizer.h), serialized
  std::string source_tokenizer;  // empty: as tokenizer
  GenerationOptions generation;  // those of the recipe
  WeightType weights = WeightType::F32;
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // null: it has none
  int64_t version = kModelVersion;                       // of the file it was read from
};

// The task of a model that says nothing of it.
Task task_of(Architecture architecture);

// The task that a model file names. One that names none, an unknown one, or one that its architecture cannot
// do is for what its architecture is for: the first programs wrote any word.
Task task_of(Architecture architecture, std::string_view name);

// Whether metadata say that a file is a model of ours, of whatever version.
bool is_model(const std::map<std::string, std::string>& metadata);

// Metadata and byte tensors that describe a model; a shortlist has tensors of its own. The tensors' data live
// in `description`.
std::map<std::string, std::string> model_metadata(const ModelDescription& description);
std::vector<NamedTensor> tokenizer_tensors(const ModelDescription& description);

// Whether a tensor of a model file is one of the tokenizers rather than a weight.
bool is_tokenizer_tensor(std::string_view name);

// Writes a model: write_safetensors with version and checksum put into the metadata, which must be those of
// model_metadata or of another model. Weights that are not finite are a UserError.
void write_model(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                 std::map<std::string, std::string> metadata);

// Throws UserError if the file is no model, of a newer version, or does not hold together. Only the header,
// the tokenizers and the shortlist are looked at: before the weights are used, see verify_checksum and
// check_tensors.
ModelDescription read_description(const SafetensorsFile& file);

// The model file that a path names: a checkpoint is a folder with the model in it.
std::filesystem::path model_path(const std::filesystem::path& path);

// The model with another shortlist, or its first, written atomically.
void add_shortlist(const std::filesystem::path& model, const Shortlist& shortlist,
                   const std::filesystem::path& out);

// The arithmetic mean of the weights of several models of the same shape, in double precision (integers: the
// floor of the mean), with the description of the last. Written atomically. Models that differ in an option
// of their configuration, in their tokenizers or in a tensor's name, type or shape are a UserError.
void average_models(std::span<const std::filesystem::path> models, const std::filesystem::path& out);

}  // namespace memsizer
