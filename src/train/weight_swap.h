#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

namespace memsizer::train {

// Puts other weights into a module for as long as the object lives; none if `weights` is empty.
class WeightSwap {
 public:
  WeightSwap(torch::nn::Module& module, const std::map<std::string, at::Tensor>& weights);
  WeightSwap(const WeightSwap&) = delete;
  WeightSwap& operator=(const WeightSwap&) = delete;
  ~WeightSwap();

 private:
  std::map<std::string, at::Tensor> own_;    // the module's tensors
  std::map<std::string, at::Tensor> aside_;  // what they held
};

}  // namespace memsizer::train
