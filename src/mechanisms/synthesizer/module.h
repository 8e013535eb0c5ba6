#pragma once

#include "mechanisms/synthesizer/description.h"
#include "nn/mixer.h"
#include "nn/modules.h"

namespace memsizer::nn {

// Synthesizer: attention weights that come from no comparison of tokens. Random: trained
// logits for each pair of positions. Dense: each token's logits from itself alone. Both have a longest length
// built in.
class SynthesizerMixer : public Mixer {
 public:
  SynthesizerMixer(const MixerConfig& config, bool random);

  void initialise(at::Generator& generator) override;

 protected:
  at::Tensor mix_cross(const at::Tensor& query, const at::Tensor& source, const at::Tensor& padding,
                       const Pass& pass) override;
  at::Tensor mix_causal(const at::Tensor& x, const at::Tensor& padding, const Pass& pass) override;
  at::Tensor advance_state(const at::Tensor& x, const at::Tensor& padding, MixerState& state) override;

 private:
  // [batch, heads, queries, keys] logits of the newest queries x over all keys so far.
  at::Tensor logits(const at::Tensor& x, int64_t keys) const;

  // [time, batch, dim] -> [batch, heads, time, head_dim]
  at::Tensor values(const at::Tensor& x) const;

  at::Tensor weigh(const at::Tensor& x, const MixerState& state, const Pass& pass) const;
  void require_length(int64_t tokens) const;

  bool random_;
  at::Tensor random_logits_;  // [heads * max_length, max_length]
  Linear dense1_{nullptr};
  Linear dense2_{nullptr};
  Linear value_{nullptr};
  Linear out_{nullptr};
};

}  // namespace memsizer::nn
