#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/weight_type.h"

namespace memsizer {

// A matrix [rows, columns] in 8 bits: a number is values[row][column] * scales[row], rounded to the nearest
// (ties to even). The scale of a row is its largest magnitude / 127; a row of zeros has the scale 0.
struct Int8Matrix {
  std::vector<int8_t> values;
  std::vector<float> scales;
};
Int8Matrix to_int8(std::span<const float> matrix, int64_t rows);

// The upper halves of the numbers, rounded to the nearest (ties to even).
std::vector<uint16_t> to_bf16(std::span<const float> numbers);

// Writes the model `in` with its large matrices (TensorSpec::quantized) as `weights`. Damaged, incomplete or already
// quantised models and weights that are not finite are UserErrors; `out` is then left alone.
void quantize_model(const std::filesystem::path& in, WeightType weights, const std::filesystem::path& out);

// Writes the model `in`, which may be a checkpoint folder or of an older version, as a complete and checked
// file of the current version.
void export_model(const std::filesystem::path& in, const std::filesystem::path& out);

}  // namespace memsizer
