#pragma once

#include <torch/torch.h>

#include <functional>
#include <vector>

namespace memsizer::testing {

// The largest difference between two lists of tensors, each pair as a fraction of the largest expected number
// in it. Infinity where counts or shapes differ, or where a number is NaN.
double largest_difference(const std::vector<at::Tensor>& actual, const std::vector<at::Tensor>& expected);

// The same with one scale for all: the largest number in any expected tensor. For gradients, where one that
// is zero in exact arithmetic (a key bias under softmax) would otherwise be compared with rounding noise.
double gradient_difference(const std::vector<at::Tensor>& actual, const std::vector<at::Tensor>& expected);

// Compares autograd's gradient of a scalar function with central differences, in double; returns the largest
// error, as largest_difference counts it.
double gradcheck_error(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& function,
                       const std::vector<at::Tensor>& inputs);

}  // namespace memsizer::testing
