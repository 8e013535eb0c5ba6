#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// Parameters start uninitialised: whoever owns a module fills them from its own generator (nn/init.h), so
// that building a model draws each random number once and from a known stream.

class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(int64_t in, int64_t out, bool with_bias = true);

  // [..., in] -> [..., out]
  at::Tensor forward(const at::Tensor& x) const { return at::linear(x, weight, bias); }

  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out], or undefined
};
TORCH_MODULE(Linear);

class LayerNormImpl : public torch::nn::Module {
 public:
  explicit LayerNormImpl(int64_t width, bool affine = true);

  at::Tensor forward(const at::Tensor& x) const;
  int64_t width() const { return width_; }

  at::Tensor weight;
  at::Tensor bias;

 private:
  int64_t width_;
};
TORCH_MODULE(LayerNorm);

}  // namespace memsizer::nn
