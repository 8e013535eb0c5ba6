#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// A short depthwise convolution over the past, added to its input, differentiable in all three:
//
//   out_t = x_t + sum over i < n of weight[:, n - 1 - i] o x_{t-i}
//
// x [time, batch, dim]; weight [dim, n]; history [n - 1, batch, dim] holds the inputs before x, undefined:
// zeros.
at::Tensor causal_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& history);

}  // namespace memsizer::nn
