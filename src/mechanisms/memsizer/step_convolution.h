#pragma once

#include "mechanisms/memsizer/description.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// The short causal convolution before MemSizer's projections. Of a row it keeps a ring of its newest inputs.
class MemsizerConvolution {
 public:
  MemsizerConvolution(const MemsizerForm& form, const Weights& weights);

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
