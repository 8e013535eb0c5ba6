#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model_config.h"
#include "core/safetensors.h"

// A model is one safetensors file: its weights, its configuration as JSON in the metadata, and its
// tokenizers inside as tensors of bytes. A checkpoint's weights are such a file too.
namespace memsizer {

struct ModelDescription {
  ModelConfig config;
  std::string task;              // "translation", "summarization", "language-model"
  std::string tokenizer;         // of the target, or of both sides (text/tokenizer.h), serialized
  std::string source_tokenizer;  // empty: as tokenizer
  nlohmann::json generation;     // the recipe's options of generation
};

// Metadata and byte tensors that describe a model. The tensors' data live in `description`.
std::map<std::string, std::string> model_metadata(const ModelDescription& description);
std::vector<NamedTensor> tokenizer_tensors(const ModelDescription& description);

// Whether a tensor of a model file is one of the tokenizers rather than a weight.
bool is_tokenizer_tensor(std::string_view name);

// Throws UserError if the file is no model, of a newer version, or does not hold together.
ModelDescription read_description(const SafetensorsFile& file);

// The arithmetic mean of the weights of several models of the same shape, in double precision (integers: the
// floor of the mean), with the description of the last. Written atomically. Models that differ in a tensor's
// name, type or shape are a UserError.
void average_models(std::span<const std::filesystem::path> models, const std::filesystem::path& out);

}  // namespace memsizer
