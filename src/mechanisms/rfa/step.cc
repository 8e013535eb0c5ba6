#include <algorithm>
#include <cmath>

#include "kernels/rows.h"
#include "mechanisms/rfa/description.h"
#include "runtime/kernel_mixer.h"

namespace memsizer::runtime {
namespace {

class RfaMap : public FeatureMap {
 public:
  RfaMap(const MixerConfig& config, const Weights& weights)
      : t2r_form_(config.options<RfaOptions>().form == RfaForm::T2r),
        causal_(config.position == Position::CausalSelf),
        masked_rule_(config.options<RfaOptions>().rule == RfaRule::Masked),
        matrices_(config, config.width(config.options<RfaOptions>().features),
                  weights.floats("random_matrices"), weights.floats_if_any("sigma")),
        tau_(weights.floats("tau")) {
    tau_.resize(static_cast<size_t>(config.heads), tau_.front());
  }

  int64_t features() const override { return 2 * matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim() + matrices_.features(); }

  void apply(const float* x, int64_t head, Side side, float* scratch, float* out) const override {
    constexpr float kNormEpsilon = 1e-3F;
    const int64_t width = matrices_.head_dim();
    // The scale of the query matters only beside the epsilon, but it is there in the T2R repository.
    const float scale = t2r_form_ && side == Side::Query ? 1.0F / std::sqrt(static_cast<float>(width)) : 1.0F;
    const float length = std::sqrt(kernels::dot(x, x, width)) * scale;
    const float tau = t2r_form_ ? tau_[head] * tau_[head] : tau_[head];
    copy_scaled(x, width, scale / ((length + kNormEpsilon) * tau), scratch);
    float* angles = scratch + width;
    matrices_.apply(head, scratch, angles);
    kernels::sin_cos(angles, matrices_.features(), t2r_form_ ? 0.01F : 0.1F, out);
  }

  float denominator(float norm) const override {
    if (t2r_form_) return std::max(causal_ ? norm : std::fabs(norm), 1e-2F);
    if (!causal_) return std::max(std::fabs(norm), 1.0F);
    return masked_rule_ ? std::max(std::fabs(norm), 1e-3F) : std::max(norm, 1.0F);
  }

 private:
  bool t2r_form_;
  bool causal_;
  bool masked_rule_;
  HeadMatrices matrices_;
  std::vector<float> tau_;
};

}  // namespace

std::unique_ptr<Mixer> make_rfa_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<KernelMixer>(config, weights, std::make_unique<RfaMap>(config, weights));
}

}  // namespace memsizer::runtime
