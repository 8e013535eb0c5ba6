#pragma once

#include <string>
#include <vector>

#include "kernels/matmul.h"
#include "runtime/tensor_source.h"
#include "runtime/work.h"

namespace memsizer::runtime {

using kernels::ConstRows;
using kernels::Rows;
using kernels::Unary;

// One or several linear layers on the same input, their outputs side by side.
class Linear {
 public:
  Linear() = default;
  // Layers without a bias have a bias of zero.
  Linear(const Weights& weights, const std::vector<std::string>& names);

  int64_t in() const { return weight_.columns(); }
  int64_t out() const { return weight_.rows(); }

  // out[i] = unary(x[i] W^T + b) + add[i]
  void apply(Work& work, ConstRows x, int64_t count, Rows out, Unary unary = Unary::None,
             ConstRows add = {}) const;

  size_t bytes() const { return weight_.bytes() + bias_.size() * sizeof(float); }

 private:
  kernels::PackedMatrix weight_;
  std::vector<float> bias_;
};

// A layer norm's parameters; none at all where it has no trained ones.
struct Norm {
  Norm() = default;
  Norm(const Weights& weights, const std::string& name);

  void apply(const float* x, float* out) const;
  void apply_to_sum(const float* x, const float* y, float* out) const;

  int64_t width = 0;
  std::vector<float> weight;
  std::vector<float> bias;
};

}  // namespace memsizer::runtime
