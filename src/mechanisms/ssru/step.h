#pragma once

#include "runtime/mixer.h"

namespace memsizer::runtime {

// The simple recurrent unit: a gated running mean for each channel, [dim].
class SsruMixer : public Mixer {
 public:
  SsruMixer(const MixerConfig& config, const Weights& weights)
      : dim_(config.dim), forget_(weights, {"forget_proj"}), input_(weights, {"input_proj"}) {}

  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const override;

 private:
  int64_t dim_;
  Linear forget_;
  Linear input_;
};

}  // namespace memsizer::runtime
