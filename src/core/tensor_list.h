#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model_config.h"

namespace memsizer {

enum class TensorRole {
  Trained,
  Frozen,  // a parameter that counts as one but is never updated
  Buffer,  // fixed numbers, such as random projections, that do not count as parameters
};

struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
  TensorRole role = TensorRole::Trained;
  std::string part;  // "decoder self-attention": the line it belongs to in a table of parts

  int64_t elements() const;
};

// Every tensor that a configuration implies, in a fixed order. LibTorch models and the runtime are both
// checked against this list, and model files hold exactly these names.
std::vector<TensorSpec> tensor_list(const ModelConfig& config);

// Numbers in all tensors, for a configuration whose fields are in range one by one but may not be together:
// in double, which does not overflow, and without listing every layer.
double count_numbers(const ModelConfig& config);

// The tensors of one mixer alone, names without a prefix.
std::vector<TensorSpec> mixer_tensor_list(const MixerConfig& config);

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
