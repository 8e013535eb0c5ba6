#include "kernels/rows.h"
#include "runtime/kernel_mixer.h"

namespace memsizer::runtime {
namespace {

class EluMap : public FeatureMap {
 public:
  explicit EluMap(int64_t head_dim) : head_dim_(head_dim) {}

  int64_t features() const override { return head_dim_; }
  void apply(const float* x, int64_t /*head*/, Side /*side*/, float* /*scratch*/, float* out) const override {
    kernels::elu_plus_one(x, head_dim_, out);
  }
  float denominator(float norm) const override { return norm + 1e-6F; }

 private:
  int64_t head_dim_;
};

}  // namespace

std::unique_ptr<Mixer> make_elu_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<KernelMixer>(config, weights, std::make_unique<EluMap>(config.head_dim()));
}

}  // namespace memsizer::runtime
