#include "nn/pass.h"

#include "nn/dropout.h"

namespace memsizer::nn {

using at::Tensor;

Tensor Pass::dropout(const Tensor& x, double p) const {
  if (!training || p <= 0.0) return x;
  if (!has_dropout_kernel(x)) return x * dropout_mask(x.sizes(), p, x.options());
  return dropped(x, {}, {random->next(), p});
}

Tensor Pass::add_dropped(const Tensor& x, const Tensor& branch, double p) const {
  if (!training || p <= 0.0) return x + branch;
  if (!has_dropout_kernel(branch)) return x + branch * dropout_mask(branch.sizes(), p, branch.options());
  return dropped(branch, x, {random->next(), p});
}

Tensor Pass::dropout_mask(at::IntArrayRef shape, double p, const at::TensorOptions& options) const {
  if (!training || p <= 0.0) return {};
  const Tensor mask = at::empty(shape, options.requires_grad(false));
  if (!has_dropout_kernel(mask)) return mask.bernoulli_(1.0 - p, generator_for(mask)).div_(1.0 - p);
  fill_dropout_mask(mask, {random->next(), p});
  return mask;
}

bool Pass::drops(double p) const {
  return training && p > 0.0 && random->uniform() <= p;
}

at::Generator Pass::generator_for(const Tensor& tensor) const {
  // Made and seeded through the default one of its device, which is the way to get one for any device.
  at::Generator generator = at::globalContext().defaultGenerator(tensor.device()).clone();
  generator.set_current_seed(random->next());
  return generator;
}

}  // namespace memsizer::nn
