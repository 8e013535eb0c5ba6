#pragma once

#include <optional>

#include "nn/causal_convolution.h"
#include "nn/mixer.h"
#include "nn/projections.h"

namespace memsizer::nn {

// Multi-head softmax attention, with a cache that grows by one entry a token.
class SoftmaxMixer : public Mixer {
 public:
  explicit SoftmaxMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;

  // Attention weights averaged over the heads, [batch, queries, source]: which source positions each query
  // looked at.
  at::Tensor mean_weights(const at::Tensor& query, const MixerState& state);

 protected:
  at::Tensor mix_cross(const at::Tensor& query, const at::Tensor& source, const at::Tensor& padding,
                       const Pass& pass) override;
  at::Tensor mix_causal(const at::Tensor& x, const at::Tensor& padding, const Pass& pass) override;
  at::Tensor advance_state(const at::Tensor& x, const at::Tensor& padding, MixerState& state) override;
  MixerState read_source(const at::Tensor& source, const at::Tensor& padding) override;
  at::Tensor attend_state(const at::Tensor& query, const MixerState& state) override;

 private:
  // Softmax weights [batch * heads, queries, tokens]. The newest token of `query` sits at the newest entry of
  // `state` if causal; every query sees all of it if not.
  at::Tensor weights(const at::Tensor& query, const MixerState& state, bool causal_mask) const;
  at::Tensor weigh(const at::Tensor& query, const MixerState& state, bool causal_mask, const Pass& pass);

  Projections projections_;
  std::optional<InputConvolution> convolution_;  // causal self-attention only, where asked for
};

}  // namespace memsizer::nn
