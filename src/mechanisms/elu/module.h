#pragma once

#include "nn/kernel_mixer.h"

namespace memsizer::nn {

// Linear attention with phi(x) = elu(x) + 1 (Katharopoulos et al.).
class EluMixer : public KernelMixer {
 public:
  explicit EluMixer(const MixerConfig& config) : KernelMixer(config) {}

  void initialise(at::Generator& generator) override;

 protected:
  at::Tensor feature_map(const Pass& pass) const override;
  at::Tensor features(const at::Tensor& x, Side side, const at::Tensor& map) const override;
  at::Tensor denominator(const at::Tensor& norm, const at::Tensor& query_features) const override;
  int64_t feature_count() const override { return head_dim(); }
};

}  // namespace memsizer::nn
