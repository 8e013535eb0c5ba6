#pragma once

#include <optional>

#include "runtime/input_convolution.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// Softmax attention: keeps the keys and values of every token, [keys | values], and the ring of its
// convolution.
class SoftmaxMixer : public Mixer {
 public:
  SoftmaxMixer(const MixerConfig& config, const Weights& weights);

  void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const override;
  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const override;
  void read(Work& work, const Ragged& sources, ConstRows x,
            std::span<const SourceState> states) const override;
  void attend(Work& work, const Ragged& rows, ConstRows x, std::span<const ConstSourceState> source_of_row,
              Rows out) const override;

 private:
  // Scales the queries, one a row of `queries`, to what the kernel wants.
  void scale_queries(Rows queries, int64_t count) const;

  int64_t dim_;
  int64_t heads_;
  int64_t head_dim_;
  Linear query_;   // cross-attention only
  Linear inputs_;  // x -> q, k, v; or k, v in cross-attention
  Linear output_;
  std::optional<InputConvolution> convolution_;  // causal self-attention only
};

}  // namespace memsizer::runtime
