#pragma once

#include "runtime/feature_map.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// Linear attention through a feature map phi:
//
//   out_t = phi(q_t) . sum of phi(k_s) (x) v_s / denominator(phi(q_t) . sum of phi(k_s))
//
// State: the sums of outer products [heads, features, head_dim], then the sums of features [heads, features].
class KernelMixer : public Mixer {
 public:
  KernelMixer(const MixerConfig& config, const Weights& weights, std::unique_ptr<FeatureMap> map);

  void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const override;
  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const override;
  void read(Work& work, const Ragged& sources, ConstRows x,
            std::span<const SourceState> states) const override;
  void attend(Work& work, const Ragged& rows, ConstRows x, std::span<const ConstSourceState> source_of_row,
              Rows out) const override;

 private:
  int64_t features() const { return map_->features(); }
  int64_t state_floats() const { return heads_ * features() * (head_dim_ + 1); }
  // Where a head's sums start in a state.
  int64_t memory_at(int64_t head) const { return head * features() * head_dim_; }
  int64_t normaliser_at(int64_t head) const { return memory_at(heads_) + head * features(); }

  void read_head(const float* query_features, int64_t head, const float* state, float* out) const;
  // The states of whole sequences, state_of(sequence); keys and values of a token are `key_at` and `value_at`
  // into its row.
  template <typename StateOf>
  void write_sequences(Work& work, const Ragged& sequences, ConstRows projected, int64_t key_at,
                       int64_t value_at, const StateOf& state_of) const;

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
