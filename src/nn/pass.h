#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// One forward pass: whether it trains, and where its random numbers come from. Passed down explicitly, so
// that two models in one process never share a random stream by accident.
struct Pass {
  bool training = false;
  c10::optional<at::Generator> generator;

  // Inverted dropout; the input itself when not training or when p is 0.
  at::Tensor dropout(const at::Tensor& x, double p) const;

  // The factors dropout multiplies by: 0 or 1/(1-p). Undefined when not training or when p is 0.
  at::Tensor dropout_mask(at::IntArrayRef shape, double p, const at::TensorOptions& options) const;

  // True with probability p, in training only.
  bool drops(double p) const;
};

}  // namespace memsizer::nn
