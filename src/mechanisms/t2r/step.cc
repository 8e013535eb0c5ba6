#include <algorithm>
#include <cmath>

#include "kernels/rows.h"
#include "mechanisms/t2r/description.h"
#include "runtime/kernel_mixer.h"

namespace memsizer::runtime {
namespace {

class T2rMap : public FeatureMap {
 public:
  T2rMap(const MixerConfig& config, const Weights& weights)
      : causal_(config.position == Position::CausalSelf),
        tau_(weights.floats("tau").front()),
        matrices_(config, config.width(config.options<T2rOptions>().features), weights.floats("feat.weight"),
                  weights.floats_if_any("sigma")),
        bias_(weights.floats("feat.bias")) {}

  int64_t features() const override { return matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim(); }

  void apply(const float* x, int64_t head, Side side, float* scratch, float* out) const override {
    const int64_t width = matrices_.head_dim();
    const float scale = side == Side::Query ? 1.0F / std::sqrt(static_cast<float>(width)) : 1.0F;
    copy_scaled(x, width, scale / tau_, scratch);
    matrices_.apply(head, scratch, out);
    kernels::add(out, bias_.data() + head * features(), features(), out);
    kernels::relu(out, features(), out);
  }

  float denominator(float norm) const override { return std::max(causal_ ? norm : std::fabs(norm), 1e-2F); }

 private:
  bool causal_;
  float tau_;
  HeadMatrices matrices_;
  std::vector<float> bias_;
};

}  // namespace

std::unique_ptr<Mixer> make_t2r_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<KernelMixer>(config, weights, std::make_unique<T2rMap>(config, weights));
}

}  // namespace memsizer::runtime
