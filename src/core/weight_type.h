#pragma once

#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/options.h"

// How a model file stores its large matrices. Everything else in it is F32 always.
namespace memsizer {

enum class WeightType {
  F32,
  Bf16,
  Int8,  // numbers from -127 to 127, with a tensor "NAME.scale" beside NAME: one F32 factor for each row
};

template <>
std::span<const std::pair<WeightType, std::string_view>> enum_names<WeightType>();

// "f32", "bf16", "int8": the word in files and on the command line.
std::string_view weight_type_name(WeightType type);

// Whether a model's tensor is one of the matrices that a weight type is about: those that activations are
// multiplied with, token embeddings included, since most models use them as the output layer. Positions,
// feature maps, random projections and compressions are small, and errors in them go through exponentials.
bool is_quantized(std::string_view name);

// The element type of a model's tensor in a file of these weights.
DType stored_type(std::string_view name, WeightType weights);

// The name of the row factors of an int8 matrix.
std::string scale_name(std::string_view name);

}  // namespace memsizer
