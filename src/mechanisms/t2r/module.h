#pragma once

#include "mechanisms/t2r/description.h"
#include "nn/kernel_mixer.h"

namespace memsizer::nn {

// T2R: linear attention whose feature map is trained, phi(x) = relu(W_h x + b_h).
class T2rMixer : public KernelMixer {
 public:
  explicit T2rMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;

 protected:
  at::Tensor feature_map(const Pass& pass) const override;
  at::Tensor features(const at::Tensor& x, Side side, const at::Tensor& map) const override;
  at::Tensor denominator(const at::Tensor& norm, const at::Tensor& query_features) const override;
  int64_t feature_count() const override { return config().width(config().options<T2rOptions>().features); }
  bool drops_weights() const override { return true; }

 private:
  Linear feature_linear_{nullptr};  // [heads * features, head_dim]
  at::Tensor tau_;                  // [1], frozen
  at::Tensor sigma_;                // [heads, 1, head_dim], or undefined
};

}  // namespace memsizer::nn
