#pragma once

#include <torch/torch.h>

#include "core/random.h"

namespace memsizer::nn {

// One forward pass: whether it trains, and where its random numbers come from. Passed down explicitly, so
// that two models in one process never share a random stream by accident, and a stream that is one number
// can be stored and continued to the bit.
struct Pass {
  bool training = false;
  Random* random = nullptr;  // not null when training

  // Inverted dropout; the input itself when not training or when p is 0.
  at::Tensor dropout(const at::Tensor& x, double p) const;

  // x + dropout(branch), in one pass over memory.
  at::Tensor add_dropped(const at::Tensor& x, const at::Tensor& branch, double p) const;

  // The factors dropout multiplies by: 0 or 1/(1-p). Undefined when not training or when p is 0.
  at::Tensor dropout_mask(at::IntArrayRef shape, double p, const at::TensorOptions& options) const;

  // True with probability p, in training only.
  bool drops(double p) const;

  // For what only LibTorch can draw: a generator on the tensor's device, seeded from the stream.
  at::Generator generator_for(const at::Tensor& tensor) const;
};

}  // namespace memsizer::nn
