#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor_spec.h"
#include "model/model_config.h"

namespace memsizer {

// Every tensor that a configuration implies, in a fixed order. LibTorch models and the runtime are both
// checked against this list, and model files hold exactly these names.
std::vector<TensorSpec> tensor_list(const ModelConfig& config);

// Numbers in all tensors, for a configuration whose fields are in range one by one but may not be together:
// in double, which does not overflow, and without listing every layer.
double count_numbers(const ModelConfig& config);

// Parameters (trained and frozen) in a list.
int64_t count_parameters(const std::vector<TensorSpec>& tensors);

// Widths of the bands of adaptive input and softmax, widest first.
struct AdaptiveBand {
  int64_t begin;
  int64_t end;
  int64_t width;

  int64_t size() const { return end - begin; }
};
std::vector<AdaptiveBand> adaptive_bands(const ModelConfig& config);

}  // namespace memsizer
