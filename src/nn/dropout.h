#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace memsizer::nn {

// Which elements are dropped is a function of a key and of the element's index. So the mask is never stored:
// the backward pass computes it again, on any number of threads, with the same result.
struct DropoutKey {
  uint64_t key;
  double probability;
};

// Whether the functions below can take this tensor: float or double on the CPU.
bool has_dropout_kernel(const at::Tensor& x);

// base + x * mask, differentiable; `base` may be undefined.
at::Tensor dropped(const at::Tensor& x, const at::Tensor& base, DropoutKey key);

// The factors themselves: 0 or 1/(1-p).
void fill_dropout_mask(const at::Tensor& mask, DropoutKey key);

}  // namespace memsizer::nn
