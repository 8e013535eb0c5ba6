#include "bench/step_cost.h"

#include <string>

#include "model/tensor_list.h"

namespace memsizer::bench {
namespace {

// Whether a step multiplies with this tensor. What reads the source is used once, embeddings are looked up.
bool multiplied(const TensorSpec& tensor) {
  return tensor.shape.size() == 2 && tensor.name.starts_with("decoder.") && !tensor.reads_source &&
         tensor.part != "embeddings";
}

// Numbers of its state that a mixer reads or writes in a step: a recurrent state is written and read, what
// was kept of tokens or left by a source is only read.
double numbers_touched(const MixerConfig& config, int64_t position, int64_t source) {
  double numbers = 0.0;
  for (const StateField& field : config.state()) {
    const auto elements = static_cast<double>(field.elements());
    switch (field.growth) {
      case Growth::Fixed:
        numbers += elements * (config.position == Position::CausalSelf ? 2.0 : 1.0);
        break;
      case Growth::PerTargetToken:
        numbers += elements * static_cast<double>(position);
        break;
      case Growth::PerSourceToken:
        numbers += elements * static_cast<double>(source);
        break;
    }
  }
  return numbers;
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

StepCost StepCost::with_output_rows(const ModelConfig& config, int64_t rows) const {
  StepCost cost = *this;
  const auto saved = static_cast<double>((config.vocab - rows) * config.dim);
  cost.weights -= saved;
  cost.row_flops -= 2.0 * saved;
  return cost;
}

StepCost step_cost(const ModelConfig& config, int64_t position, int64_t source) {
  StepCost cost;
  for (const TensorSpec& tensor : tensor_list(config)) {
    if (multiplied(tensor)) cost.weights += static_cast<double>(tensor.elements());
  }
  // A tied output layer is the embedding.
  if (!config.adaptive.enabled() && config.embedding.tie != Tying::None)
    cost.weights += static_cast<double>(config.vocab * config.dim);
  for (int64_t i = 0; i < config.decoder.layers; ++i) {
    cost.row_numbers += numbers_touched(mixer_config(config, Position::CausalSelf, i), position, source);
    if (config.has_encoder())
      cost.row_numbers += numbers_touched(mixer_config(config, Position::Cross, i), position, source);
  }
  // A multiply-add for each number.
  cost.row_flops = 2.0 * cost.weights + 2.0 * cost.row_numbers;
  return cost;
}

}  // namespace memsizer::bench
