#include "mechanisms/t2r/module.h"

#include <cmath>

#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

T2rMixer::T2rMixer(const MixerConfig& config) : KernelMixer(config) {
  feature_linear_ = register_module("feat", Linear(head_dim(), heads() * feature_count()));
  tau_ = register_parameter("tau", at::empty({1}), /*requires_grad=*/false);
  if (config.options<T2rOptions>().sigma) sigma_ = register_parameter("sigma", at::empty({heads(), 1, head_dim()}));
}

void T2rMixer::initialise(at::Generator& generator) {
  projections_.initialise(1.0 / std::sqrt(config().options<T2rOptions>().init_scale), generator);
  initialise_default(feature_linear_, generator);
  fill(tau_, 1.0);
  if (sigma_.defined()) fill(sigma_, 1.0);
}

Tensor T2rMixer::feature_map(const Pass& /*pass*/) const {
  const Tensor weight = feature_linear_->weight.view({heads(), feature_count(), head_dim()}) / tau_;
  return sigma_.defined() ? weight * sigma_ : weight;
}

Tensor T2rMixer::features(const Tensor& x, Side side, const Tensor& map) const {
  const Tensor scaled = side == Side::Query ? x / std::sqrt(static_cast<double>(head_dim())) : x;
  return at::relu(project_heads(scaled, map) + feature_linear_->bias.view({heads(), feature_count()}));
}

Tensor T2rMixer::denominator(const Tensor& norm, const Tensor& /*query_features*/) const {
  return (causal() ? norm : norm.abs()).clamp_min(1e-2);
}

std::shared_ptr<Mixer> make_t2r_module(const MixerConfig& config) {
  return std::make_shared<T2rMixer>(config);
}

}  // namespace memsizer::nn
