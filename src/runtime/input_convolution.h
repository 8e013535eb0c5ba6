#pragma once

#include <vector>

#include "runtime/mixer.h"

namespace memsizer::runtime {

// A short causal convolution of a mixer's inputs, added to them (nn/causal_convolution.h). Of a row it keeps
// a ring of its newest inputs.
class InputConvolution {
 public:
  InputConvolution(int64_t dim, int64_t taps, const Weights& weights);

  // Each token beside its mixture with the tokens before it. The ring is `ring_at` numbers into a row's
  // state.
  void apply(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, int64_t ring_at,
             Rows out) const;

 private:
  int64_t dim_;
  int64_t taps_;
  std::vector<float> weight_;  // [taps, dim], the newest token's first
};

}  // namespace memsizer::runtime
