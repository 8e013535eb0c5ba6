#include "nn/pass.h"

namespace memsizer::nn {

at::Tensor Pass::dropout_mask(at::IntArrayRef shape, double p, const at::TensorOptions& options) const {
  if (!training || p <= 0.0) return {};
  return at::empty(shape, options.requires_grad(false)).bernoulli_(1.0 - p, generator).div_(1.0 - p);
}

at::Tensor Pass::dropout(const at::Tensor& x, double p) const {
  const at::Tensor mask = dropout_mask(x.sizes(), p, x.options());
  return mask.defined() ? x * mask : x;
}

bool Pass::drops(double p) const {
  if (!training || p <= 0.0) return false;
  return at::rand({1}, generator, at::kFloat).item<float>() <= p;
}

}  // namespace memsizer::nn
