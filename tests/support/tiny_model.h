#pragma once

#include <filesystem>
#include <vector>

#include "model/model_file.h"
#include "model/tensor_list.h"

namespace memsizer::testing {

// A translation model of width 8 with one layer a side and a dictionary of 8 words.
ModelDescription tiny_description();

// A language model with adaptive input and softmax, and no tokenizer.
ModelDescription tiny_adaptive_description();

// The same numbers on every machine, from -1 to 1; each tensor has its own.
std::vector<float> tiny_weights(const TensorSpec& spec);

// Writes a model of these weights, whatever its configuration.
void write_tiny_model(const std::filesystem::path& path, const ModelDescription& description);

}  // namespace memsizer::testing
