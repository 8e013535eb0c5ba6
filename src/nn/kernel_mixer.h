#pragma once

#include "nn/mixer.h"
#include "nn/projections.h"

namespace memsizer::nn {

// Linear attention through a feature map phi, in the place of softmax:
//
//   out_t = phi(q_t) . sum of phi(k_s) (x) v_s / denominator(phi(q_t) . sum of phi(k_s))
//
// A mechanism of this family supplies the feature map and the guard of the denominator.
class KernelMixer : public Mixer {
 public:
  KernelMixer(const MixerConfig& config, bool input_biases = true);

 protected:
  enum class Side { Query, Key };

  // What the feature map of this pass is made with, such as random projections; drawn once and used for both
  // sides.
  virtual at::Tensor feature_map(const Pass& pass) const = 0;

  // [time, batch, heads, head_dim] -> [time, batch, heads, features]
  virtual at::Tensor features(const at::Tensor& x, Side side, const at::Tensor& map) const = 0;

  // The number to divide by, from phi(q) . z [..., 1] and phi(q) [..., features].
  virtual at::Tensor denominator(const at::Tensor& norm, const at::Tensor& query_features) const = 0;

  // Features of the keys of a causal layer, from the projected keys and the layer's input.
  virtual at::Tensor causal_key_features(const at::Tensor& keys, const at::Tensor& x,
                                         const at::Tensor& map) const;

  virtual int64_t feature_count() const = 0;

  // Where padding is taken out: keys and so the denominator (default), or only the values.
  virtual bool padding_stays_in_keys() const { return false; }

  // The T2R repository drops out normalised attention weights when it trains, which needs the quadratic form.
  virtual bool drops_weights() const { return false; }

  // Last touch on the layer's output in training.
  virtual at::Tensor finish(const at::Tensor& out, const Pass& pass) const;

  // Multiplies each head's channels by a matrix [heads, features, head_dim].
  static at::Tensor project_heads(const at::Tensor& x, const at::Tensor& matrices);

  at::Tensor mix_cross(const at::Tensor& query, const at::Tensor& source, const at::Tensor& padding,
                       const Pass& pass) override;
  at::Tensor mix_causal(const at::Tensor& x, const at::Tensor& padding, const Pass& pass) override;
  at::Tensor advance_state(const at::Tensor& x, const at::Tensor& padding, MixerState& state) override;
  MixerState read_source(const at::Tensor& source, const at::Tensor& padding) override;
  at::Tensor attend_state(const at::Tensor& query, const MixerState& state) override;

  Projections projections_;

 private:
  struct Written {
    at::Tensor keys;    // [time, batch * heads, features]
    at::Tensor values;  // [time, batch * heads, head_dim]
  };
  Written write(const at::Tensor& key_features, const at::Tensor& x, const at::Tensor& padding) const;

  MixerState read_through(const at::Tensor& map, const at::Tensor& source, const at::Tensor& padding) const;
  at::Tensor attend_through(const at::Tensor& map, const at::Tensor& query, const MixerState& state,
                            const Pass& pass) const;
  at::Tensor divide(const at::Tensor& out, const at::Tensor& norm, const at::Tensor& query_features) const;
  at::Tensor mix_with_weight_dropout(const at::Tensor& queries, const Written& written,
                                     const Pass& pass) const;
};

}  // namespace memsizer::nn
