#pragma once

#include "mechanisms/rfa/description.h"
#include "nn/kernel_mixer.h"

namespace memsizer::nn {

// Random feature attention: phi(x) = scale [sin(W x/|x|), cos(W x/|x|)] with fixed random W.
// Two released versions differ in scale, temperature and guard; `rfa.form` picks one.
class RfaMixer : public KernelMixer {
 public:
  explicit RfaMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;
  void redraw(at::Generator& generator) override;

 protected:
  at::Tensor feature_map(const Pass& pass) const override;
  at::Tensor features(const at::Tensor& x, Side side, const at::Tensor& map) const override;
  at::Tensor denominator(const at::Tensor& norm, const at::Tensor& query_features) const override;
  at::Tensor causal_key_features(const at::Tensor& keys, const at::Tensor& x,
                                 const at::Tensor& map) const override;
  int64_t feature_count() const override { return 2 * random_matrices_.size(1); }
  bool drops_weights() const override { return t2r_form(); }

 private:
  bool t2r_form() const { return config().options<RfaOptions>().form == RfaForm::T2r; }

  at::Tensor sigma_;            // [heads, 1, head_dim], or undefined
  at::Tensor tau_;              // [1], or [heads, 1, 1] if learned
  at::Tensor random_matrices_;  // [heads, projections, head_dim]
  Linear gate_{nullptr};
};

}  // namespace memsizer::nn
