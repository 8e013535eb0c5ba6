#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// The elementwise recurrence c_t = decay_t o c_{t-1} + input_t with c_0 = initial, differentiable in all
// three. decay, input [time, batch, dim]; initial [batch, dim]; returns all cells [time, batch, dim].
at::Tensor decay_scan(const at::Tensor& decay, const at::Tensor& input, const at::Tensor& initial);

}  // namespace memsizer::nn
