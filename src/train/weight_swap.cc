#include "train/weight_swap.h"

#include "nn/tensor_io.h"

namespace memsizer::train {

WeightSwap::WeightSwap(torch::nn::Module& module, const std::map<std::string, at::Tensor>& weights) {
  if (weights.empty()) return;
  const torch::NoGradGuard no_grad;
  own_ = nn::named_tensors(module);
  for (auto& [name, tensor] : own_) {
    aside_.emplace(name, tensor.detach().clone());
    tensor.copy_(weights.at(name));
  }
}

WeightSwap::~WeightSwap() {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : own_) tensor.copy_(aside_.at(name));
}

}  // namespace memsizer::train
