#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "kernels/rows.h"
#include "mechanisms/performer/description.h"
#include "runtime/kernel_mixer.h"

namespace memsizer::runtime {
namespace {

// head_dim^-1/4 on both sides makes the kernel that of softmax attention.
float quarter_scale(int64_t head_dim) {
  return static_cast<float>(std::pow(static_cast<double>(head_dim), -0.25));
}

class FavorMap : public FeatureMap {
 public:
  FavorMap(const MixerConfig& config, const Weights& weights)
      : matrices_(config, config.width(config.options<PerformerOptions>().features) / 2,
                  weights.floats("omega"), {}, /*transposed=*/true) {}

  int64_t features() const override { return 2 * matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim(); }

  void apply(const float* x, int64_t head, Side /*side*/, float* scratch, float* out) const override {
    const int64_t width = matrices_.head_dim();
    const int64_t half = matrices_.features();
    copy_scaled(x, width, quarter_scale(width), scratch);
    const float offset =
        kernels::dot(scratch, scratch, width) / 2.0F + std::log(static_cast<float>(features())) / 2.0F;
    matrices_.apply(head, scratch, out);
    for (int64_t f = 0; f < half; ++f) {
      out[half + f] = -out[f] - offset;
      out[f] -= offset;
    }
    kernels::exponential(out, features(), out);
  }

  float denominator(float norm) const override { return norm + 1e-6F; }

 private:
  HeadMatrices matrices_;
};

// The stabilised original: its keys are shifted by the largest exponent of the whole sequence.
class SoftmaxKernelMap : public FeatureMap {
 public:
  SoftmaxKernelMap(const MixerConfig& config, const Weights& weights)
      : matrices_(config, config.width(config.options<PerformerOptions>().features),
                  weights.floats("projection_matrix"), {}) {}

  int64_t features() const override { return matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim() + features(); }
  bool shifts_keys() const override { return true; }

  void apply(const float* x, int64_t head, Side /*side*/, float* scratch, float* out) const override {
    apply_shifted(x, head, key_shift(x, head, scratch), scratch, out);
  }

  float key_shift(const float* x, int64_t head, float* scratch) const override {
    float* exponents = scratch + matrices_.head_dim();
    copy_scaled(x, matrices_.head_dim(), quarter_scale(matrices_.head_dim()), scratch);
    matrices_.apply(head, scratch, exponents);
    return *std::max_element(exponents, exponents + features());
  }

  void apply_shifted(const float* x, int64_t head, float shift, float* scratch, float* out) const override {
    constexpr float kKernelEpsilon = 1e-4F;
    const int64_t width = matrices_.head_dim();
    copy_scaled(x, width, quarter_scale(width), scratch);
    const float offset = kernels::dot(scratch, scratch, width) / 2.0F + shift;
    matrices_.apply(head, scratch, out);
    for (int64_t f = 0; f < features(); ++f) out[f] -= offset;
    kernels::exponential(out, features(), out);
    const float root = 1.0F / std::sqrt(static_cast<float>(features()));
    for (int64_t f = 0; f < features(); ++f) out[f] = (out[f] + kKernelEpsilon) * root;
  }

  float denominator(float norm) const override { return norm; }

 private:
  HeadMatrices matrices_;
};

class PrfMap : public FeatureMap {
 public:
  PrfMap(const MixerConfig& config, const Weights& weights)
      : causal_(config.position == Position::CausalSelf),
        tau_(weights.floats("tau").front()),
        matrices_(config, config.width(config.options<PerformerOptions>().features),
                  weights.floats("random_matrices"), {}) {}

  int64_t features() const override { return matrices_.features(); }
  int64_t scratch_floats() const override { return 2 * matrices_.head_dim(); }

  void apply(const float* x, int64_t head, Side side, float* scratch, float* out) const override {
    const int64_t width = matrices_.head_dim();
    const float scale = side == Side::Query ? 1.0F / std::sqrt(static_cast<float>(width)) : 1.0F;
    copy_scaled(x, width, scale * quarter_scale(width), scratch);
    const float half_square = kernels::dot(scratch, scratch, width) / 2.0F;
    float* tempered = scratch + width;
    copy_scaled(scratch, width, 1.0F / tau_, tempered);
    matrices_.apply(head, tempered, out);
    const float offset = half_square + *std::max_element(out, out + features());
    for (int64_t f = 0; f < features(); ++f) out[f] -= offset;
    kernels::exponential(out, features(), out);
    kernels::scale(out, features(), 0.01F);
  }

  float denominator(float norm) const override { return std::max(causal_ ? norm : std::fabs(norm), 1e-2F); }

 private:
  bool causal_;
  float tau_;
  HeadMatrices matrices_;
};

std::unique_ptr<FeatureMap> make_performer_map(const MixerConfig& config, const Weights& weights) {
  switch (config.options<PerformerOptions>().form) {
    case PerformerForm::Favor:
      return std::make_unique<FavorMap>(config, weights);
    case PerformerForm::SoftmaxKernel:
      if (config.position == Position::CausalSelf) {
        throw UserError(
            "performer with form softmax-kernel cannot generate: its keys are shifted by a maximum over the "
            "whole sequence; train with model.performer.form=favor");
      }
      return std::make_unique<SoftmaxKernelMap>(config, weights);
    case PerformerForm::Prf:
      return std::make_unique<PrfMap>(config, weights);
  }
  throw std::logic_error("performer form without a feature map");
}

}  // namespace

std::unique_ptr<Mixer> make_performer_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<KernelMixer>(config, weights, make_performer_map(config, weights));
}

}  // namespace memsizer::runtime
