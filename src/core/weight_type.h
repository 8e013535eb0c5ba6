#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/tensor_spec.h"

// How a model stores its large matrices, in a file and in the runtime. Everything else in it is F32 always.
namespace memsizer {

enum class WeightType {
  F32,
  BF16,
  I8,  // numbers from -127 to 127, with a tensor "NAME.scale" beside NAME: one F32 factor per row
};

// "f32", "bf16", "int8": the word in files and on the command line.
std::string_view weight_type_name(WeightType type);

// The inverse of weight_type_name.
std::optional<WeightType> parse_weight_type(std::string_view name);

// The element type of a model's tensor in a file of these weights (TensorSpec::quantized).
DType stored_type(const TensorSpec& tensor, WeightType weights);

// The name of the row factors of an int8 matrix.
std::string scale_name(std::string_view name);

}  // namespace memsizer
