#pragma once

#include "mechanisms/synthesizer/description.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// Synthesizer: attention weights that do not look at the keys: trained numbers (random), or
// made from the query alone (dense). Keeps the values of every token.
class SynthesizerMixer : public Mixer {
 public:
  SynthesizerMixer(const MixerConfig& config, const Weights& weights);

  void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const override;
  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const override;

 private:
  void require_length(int64_t tokens) const;
  // The logits of every token's row over all positions [tokens, heads, max_length]; nothing for random ones.
  float* dense_logits(Work& work, Scratch::Frame& frame, ConstRows x, int64_t tokens) const;
  // Mixes the first `visible` of the values for the token at `position`.
  void mix(const float* dense_row, int64_t position, int64_t visible, const float* values, int64_t stride,
           const int32_t* tokens, float* weights, float* out) const;

  int64_t dim_;
  int64_t heads_;
  int64_t max_length_;
  std::vector<float> random_logits_;  // [heads, max_length, max_length]; empty: dense
  Linear dense1_;
  Linear dense2_;
  Linear value_;
  Linear output_;
};

}  // namespace memsizer::runtime
