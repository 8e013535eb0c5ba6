#pragma once

#include "runtime/mixers/feature_map.h"
#include "runtime/mixers/mixer.h"

namespace memsizer::runtime {

// Linear attention through a feature map phi:
//
//   out_t = phi(q_t) . sum of phi(k_s) (x) v_s / denominator(phi(q_t) . sum of phi(k_s))
//
// State, for each head: the sum of outer products [features, head_dim], then the sum of features [features].
class KernelMixer : public Mixer {
 public:
  KernelMixer(const MixerConfig& config, const Weights& weights);

  int64_t state_floats() const override { return heads_ * head_state(); }

  void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const override;
  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const override;
  void read(Work& work, ConstRows x, const SourceStates& states) const override;
  void attend(Work& work, const Ragged& rows, ConstRows x, const SourceStates& states,
              std::span<const int32_t> source_of_row, Rows out) const override;

 private:
  int64_t features() const { return map_->features(); }
  int64_t head_state() const { return features() * (head_dim_ + 1); }

  void write(const float* key_features, const float* value, float* state) const;
  void read_head(const float* query_features, const float* state, float* out) const;
  // The states of whole sequences; keys and values of a token are `key_at` and `value_at` into its row.
  void write_sequences(Work& work, const Ragged& sequences, ConstRows projected, int64_t key_at,
                       int64_t value_at, float* states) const;

  int64_t dim_;
  int64_t heads_;
  int64_t head_dim_;
  bool gated_;
  std::unique_ptr<FeatureMap> map_;
  Linear query_;   // cross-attention only: x -> q
  Linear inputs_;  // x -> q, k, v (and gates), or k, v in cross-attention
  Linear output_;
};

}  // namespace memsizer::runtime
