#pragma once

#include <filesystem>

#include "core/weight_type.h"

namespace memsizer {

// Writes the model `in` with its large matrices (TensorSpec::quantized) as `weights`, rounded by
// core/weight_rounding.h. Damaged, incomplete or already quantised models and weights that are not finite are
// UserErrors; `out` is then left alone.
void quantize_model(const std::filesystem::path& in, WeightType weights, const std::filesystem::path& out);

// Writes the model `in`, which may be a checkpoint folder or of an older version, as a complete and checked
// file of the current version.
void export_model(const std::filesystem::path& in, const std::filesystem::path& out);

}  // namespace memsizer
