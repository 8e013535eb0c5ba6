#include "mechanisms/performer/module.h"

#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "nn/init.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

// head_dim^-1/4 on both sides makes the kernel that of softmax attention.
Tensor quarter_scaled(const Tensor& x, int64_t head_dim) {
  return x / std::pow(static_cast<double>(head_dim), 0.25);
}

Tensor half_square(const Tensor& x) {
  return x.square().sum(-1, /*keepdim=*/true) / 2.0;
}

void copy_into(const Tensor& buffer, const Tensor& values) {
  torch::NoGradGuard no_grad;
  buffer.copy_(values);
}

}  // namespace

FavorMixer::FavorMixer(const MixerConfig& config) : KernelMixer(config) {
  omega_ =
      register_buffer("omega", at::empty({head_dim(), config.width(config.options<PerformerOptions>().features) / 2}));
}

void FavorMixer::initialise(at::Generator& generator) {
  projections_.initialise(generator);
  redraw(generator);
}

void FavorMixer::redraw(at::Generator& generator) {
  copy_into(omega_, orthogonal_gaussian(omega_.size(1), omega_.size(0), generator).t());
}

Tensor FavorMixer::feature_map(const Pass& /*pass*/) const {
  return omega_;
}

Tensor FavorMixer::features(const Tensor& x, Side /*side*/, const Tensor& map) const {
  const Tensor scaled = quarter_scaled(x, head_dim());
  const Tensor u = at::matmul(scaled, map);
  const Tensor offset = half_square(scaled) + std::log(static_cast<double>(feature_count())) / 2.0;
  return at::cat({(u - offset).exp(), (-u - offset).exp()}, -1);
}

Tensor FavorMixer::denominator(const Tensor& norm, const Tensor& /*query_features*/) const {
  return norm + 1e-6;
}

SoftmaxKernelMixer::SoftmaxKernelMixer(const MixerConfig& config)
    : KernelMixer(config, config.options<PerformerOptions>().bias) {
  projection_matrix_ = register_buffer(
      "projection_matrix", at::empty({config.width(config.options<PerformerOptions>().features), head_dim()}));
}

void SoftmaxKernelMixer::initialise(at::Generator& generator) {
  projections_.initialise(generator);
  redraw(generator);
}

void SoftmaxKernelMixer::redraw(at::Generator& generator) {
  copy_into(projection_matrix_,
            orthogonal_gaussian(projection_matrix_.size(0), projection_matrix_.size(1), generator));
}

Tensor SoftmaxKernelMixer::feature_map(const Pass& /*pass*/) const {
  return projection_matrix_;
}

Tensor SoftmaxKernelMixer::features(const Tensor& x, Side side, const Tensor& map) const {
  constexpr double kKernelEpsilon = 1e-4;
  const Tensor scaled = quarter_scaled(x, head_dim());
  const Tensor u = at::matmul(scaled, map.t());  // [time, batch, heads, features]
  const Tensor stabiliser =
      side == Side::Query ? u.amax({3}, /*keepdim=*/true) : u.amax({0, 3}, /*keepdim=*/true);
  const Tensor kernel = (u - half_square(scaled) - stabiliser.detach()).exp() + kKernelEpsilon;
  return kernel / std::sqrt(static_cast<double>(feature_count()));
}

Tensor SoftmaxKernelMixer::denominator(const Tensor& norm, const Tensor& query_features) const {
  return causal() ? norm + 1e-6 * query_features.sum(-1, /*keepdim=*/true) : norm;
}

Tensor SoftmaxKernelMixer::finish(const Tensor& out, const Pass& pass) const {
  return pass.dropout(out, config().attention_dropout);
}

void SoftmaxKernelMixer::require_streaming() const {
  throw UserError(
      "performer with form softmax-kernel cannot generate from a state: its keys are stabilised by a maximum "
      "over the "
      "whole sequence; use model.performer.form=favor");
}

PrfMixer::PrfMixer(const MixerConfig& config) : KernelMixer(config) {
  tau_ = register_parameter("tau", at::empty({1}), /*requires_grad=*/false);
  random_matrices_ = register_buffer(
      "random_matrices", at::empty({heads(), config.width(config.options<PerformerOptions>().features), head_dim()}));
}

void PrfMixer::initialise(at::Generator& generator) {
  projections_.initialise(generator);
  fill(tau_, 1.0);
  redraw(generator);
}

void PrfMixer::redraw(at::Generator& generator) {
  normal(random_matrices_, 1.0, generator);
}

Tensor PrfMixer::feature_map(const Pass& /*pass*/) const {
  return random_matrices_ / tau_;
}

Tensor PrfMixer::features(const Tensor& x, Side side, const Tensor& map) const {
  const Tensor query_scaled = side == Side::Query ? x / std::sqrt(static_cast<double>(head_dim())) : x;
  const Tensor scaled = quarter_scaled(query_scaled, head_dim());
  const Tensor u = project_heads(scaled, map);
  return (u - half_square(scaled) - u.amax({3}, /*keepdim=*/true)).exp() * 0.01;
}

Tensor PrfMixer::denominator(const Tensor& norm, const Tensor& /*query_features*/) const {
  return (causal() ? norm : norm.abs()).clamp_min(1e-2);
}

std::shared_ptr<Mixer> make_performer_module(const MixerConfig& config) {
  switch (config.options<PerformerOptions>().form) {
    case PerformerForm::Favor:
      return std::make_shared<FavorMixer>(config);
    case PerformerForm::SoftmaxKernel:
      return std::make_shared<SoftmaxKernelMixer>(config);
    case PerformerForm::Prf:
      return std::make_shared<PrfMixer>(config);
  }
  throw std::logic_error("performer form without a mixer");
}

}  // namespace memsizer::nn
