#pragma once

#include "mechanisms/memsizer/description.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// The paper's mechanism: a memory of k slots, written by the outer product of two normalised
// projections of each token and read by a softmax over keys, averaged over the heads. Keys made from the
// input are a second memory of the same kind.
class MemsizerMixer : public Mixer {
 public:
  MemsizerMixer(const MixerConfig& config, const Weights& weights);

  void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const override;
  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const override;
  void read(Work& work, const Ragged& sources, ConstRows x,
            std::span<const SourceState> states) const override;
  void attend(Work& work, const Ragged& rows, ConstRows x, std::span<const ConstSourceState> source_of_row,
              Rows out) const override;

 private:
  // The memory [slots, dim]; then, if keys are made from the input, that of the keys [dim, heads * slots].
  int64_t state_floats() const { return slots_ * dim_ + (input_keys_ ? dim_ * key_floats() : 0); }
  int64_t key_floats() const { return heads_ * slots_; }

  // Every token's projections, normalised: [tokens, projection_.out()].
  float* project(Work& work, Scratch::Frame& frame, ConstRows x, int64_t tokens) const;
  void normalise(float* projected) const;

  // Fills the states of whole sequences, state_of(sequence), from their tokens' projections.
  template <typename StateOf>
  void write_sequences(Work& work, const Ragged& sequences, const float* projected,
                       const StateOf& state_of) const;
  // One token's output from a finished state. Logits [heads, slots] are overwritten; with keys made from the
  // input they are computed here.
  void read_state(const float* x, float* logits, const float* state, float* address, float* out) const;

  int64_t dim_;
  int64_t slots_;
  int64_t heads_;
  bool input_keys_;
  Linear query_keys_;  // x -> logits, in cross-attention with learned keys
  // All that a token writes and, in self-attention with learned keys, its logits; side by side:
  Linear projection_;
  int64_t key_right_at_ = 0;  // input-made keys: their factors [heads * slots] at 0, and [dim] here
  int64_t left_at_ = 0;       // [slots]
  int64_t right_at_ = 0;      // [dim]
  Norm key_left_norm_;
  Norm key_right_norm_;
  Norm left_norm_;
  Norm right_norm_;
};

}  // namespace memsizer::runtime
