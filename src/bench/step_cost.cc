#include "bench/step_cost.h"

#include <string>

#include "core/state_size.h"
#include "core/tensor_list.h"

namespace memsizer::bench {
namespace {

constexpr double kFloatBytes = 4.0;

// Whether a step multiplies with this tensor. Cross-attention's keys and values are made once, embeddings are
// looked up.
bool multiplied(const TensorSpec& tensor) {
  const std::string& name = tensor.name;
  if (tensor.shape.size() != 2 || !name.starts_with("decoder.")) return false;
  const bool of_source =
      name.find("encoder_attn.") != std::string::npos &&
      (name.find("k_proj") != std::string::npos || name.find("v_proj") != std::string::npos);
  return !of_source && name.find("embed_") == std::string::npos;
}

}  // namespace

double StepCost::weight_bytes(WeightType type) const {
  switch (type) {
    case WeightType::F32:
      return 4.0 * weights;
    case WeightType::BF16:
      return 2.0 * weights;
    case WeightType::I8:
      return weights;
  }
  return 0.0;
}

StepCost step_cost(const ModelConfig& config, int64_t position, int64_t source) {
  StepCost cost;
  for (const TensorSpec& tensor : tensor_list(config)) {
    if (multiplied(tensor)) cost.weights += static_cast<double>(tensor.elements());
  }
  // A tied output layer is the embedding.
  if (!config.adaptive.enabled() && config.embedding.tie != Tying::None)
    cost.weights += static_cast<double>(config.vocab * config.dim);
  const auto state = [&](Position where) {
    return static_cast<double>(mixer_state_size(mixer_config(config, where)).at(position, source)) /
           kFloatBytes;
  };
  const auto layers = static_cast<double>(config.decoder.layers);
  const double self = layers * state(Position::CausalSelf);
  const double cross = config.has_encoder() ? layers * state(Position::Cross) : 0.0;
  // A recurrent state is written and read, a cache of tokens and a source's state are read: a multiply-add
  // for each number.
  const bool writes = config.decoder.self != Mechanism::Softmax;
  cost.row_numbers = self * (writes ? 2.0 : 1.0) + cross;
  cost.row_flops = 2.0 * cost.weights + 2.0 * cost.row_numbers;
  return cost;
}

}  // namespace memsizer::bench
