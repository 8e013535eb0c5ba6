#include "mechanisms/rfa/module.h"

#include <cmath>

#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

RfaMixer::RfaMixer(const MixerConfig& config) : KernelMixer(config) {
  const auto& options = config.options<RfaOptions>();
  if (options.sigma) sigma_ = register_parameter("sigma", at::empty({heads(), 1, head_dim()}));
  tau_ = options.learned_tau ? register_parameter("tau", at::empty({heads(), 1, 1}))
                             : register_parameter("tau", at::empty({1}), /*requires_grad=*/false);
  if (options.gate && causal()) gate_ = register_module("g_proj", Linear(config.dim, heads()));
  random_matrices_ = register_buffer("random_matrices",
                                     at::empty({heads(), config.width(options.features), head_dim()}));
}

void RfaMixer::initialise(at::Generator& generator) {
  projections_.initialise(t2r_form() ? 1.0 / std::sqrt(config().options<RfaOptions>().init_scale) : std::sqrt(0.5), generator);
  if (!t2r_form() && config().position == Position::Cross) fill(projections_.q->bias, 0.0);
  if (sigma_.defined()) fill(sigma_, 1.0);
  fill(tau_, config().options<RfaOptions>().tau);
  if (gate_) {
    initialise_default(gate_, generator);
    fill(gate_->bias, 3.0);  // open gates at the start
  }
  redraw(generator);
}

void RfaMixer::redraw(at::Generator& generator) {
  normal(random_matrices_, 1.0, generator);
}

Tensor RfaMixer::feature_map(const Pass& pass) const {
  Tensor matrices = random_matrices_;
  if (pass.training && config().options<RfaOptions>().redraw) {
    matrices = at::empty_like(matrices).normal_(0.0, 1.0, pass.generator_for(matrices));
  }
  if (sigma_.defined()) matrices = matrices * sigma_;
  return matrices / tau_;
}

Tensor RfaMixer::features(const Tensor& x, Side side, const Tensor& map) const {
  constexpr double kNormEpsilon = 1e-3;
  // The scale of the query matters only beside the epsilon, but it is there in the T2R repository.
  const bool scaled = t2r_form() && side == Side::Query;
  const Tensor y = scaled ? x / std::sqrt(static_cast<double>(head_dim())) : x;
  Tensor unit = y / (y.norm(2, -1, /*keepdim=*/true) + kNormEpsilon);
  if (t2r_form()) unit = unit / tau_.view({-1, 1});
  const Tensor angles = project_heads(unit, map);
  return at::cat({angles.sin(), angles.cos()}, -1) * (t2r_form() ? 0.01 : 0.1);
}

Tensor RfaMixer::causal_key_features(const Tensor& keys, const Tensor& x, const Tensor& map) const {
  const Tensor plain = features(keys, Side::Key, map);
  return gate_ ? plain * gate_->forward(x).sigmoid().unsqueeze(-1) : plain;
}

Tensor RfaMixer::denominator(const Tensor& norm, const Tensor& /*query_features*/) const {
  if (t2r_form()) return (causal() ? norm : norm.abs()).clamp_min(1e-2);
  if (!causal()) return norm.abs().clamp_min(1.0);
  return config().options<RfaOptions>().rule == RfaRule::Masked ? norm.abs().clamp_min(1e-3) : norm.clamp_min(1.0);
}

std::shared_ptr<Mixer> make_rfa_module(const MixerConfig& config) {
  return std::make_shared<RfaMixer>(config);
}

}  // namespace memsizer::nn
