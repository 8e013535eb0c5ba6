#include "nn/projections.h"

#include <cmath>

#include "nn/init.h"

namespace memsizer::nn {

Projections::Projections(torch::nn::Module& owner, int64_t dim, int64_t heads, bool input_biases,
                         const std::string& prefix)
    : q(owner.register_module(prefix + "q_proj", Linear(dim, dim, input_biases))),
      k(owner.register_module(prefix + "k_proj", Linear(dim, dim, input_biases))),
      v(owner.register_module(prefix + "v_proj", Linear(dim, dim, input_biases))),
      out(owner.register_module(prefix + "out_proj", Linear(dim, dim))),
      heads_(heads) {}

at::Tensor Projections::output(const at::Tensor& x, int64_t time, int64_t batch) const {
  return out->forward(x.reshape({time, batch, -1}));
}

void Projections::initialise(at::Generator& generator) {
  for (Linear* linear : {&q, &k, &v}) initialise_xavier_default_bias(*linear, std::sqrt(0.5), generator);
  initialise_xavier_zero_bias(out, 1.0, generator);
}

void Projections::initialise(double gain, at::Generator& generator) {
  for (Linear* linear : {&q, &k, &v}) initialise_xavier_default_bias(*linear, gain, generator);
  initialise_xavier_zero_bias(out, gain, generator);
}

at::Tensor Projections::split(const at::Tensor& x) const {
  return x.view({x.size(0), x.size(1), heads_, -1});
}

}  // namespace memsizer::nn
