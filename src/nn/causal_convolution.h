#pragma once

#include <torch/torch.h>

#include "nn/mixer_state.h"
#include "nn/token_counts.h"

namespace memsizer::nn {

// A short depthwise convolution over the past, added to its input, differentiable in all three:
//
//   out_t = x_t + sum over i < n of weight[:, n - 1 - i] o x_{t-i}
//
// x [time, batch, dim]; weight [dim, n]; history [n - 1, batch, dim] holds the inputs before x, undefined:
// zeros.
at::Tensor causal_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& history);

// That convolution before a causal mixer, with its weights, which start at zero. The state keeps the newest
// inputs in the ring `inputs`.
class InputConvolution {
 public:
  // Registers convolution.weight in `owner`.
  InputConvolution(torch::nn::Module& owner, int64_t dim, int64_t taps);

  void initialise();

  // Padding before a row's first token is read as zeros.
  at::Tensor forward(const at::Tensor& x, const TokenCounts& counts, MixerState& state,
                     bool with_state) const;

 private:
  at::Tensor weight_;
};

}  // namespace memsizer::nn
