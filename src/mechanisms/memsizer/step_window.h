#pragma once

#include "mechanisms/memsizer/description.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// Softmax attention over a row's newest tokens, added to what MemSizer reads. Of a row it keeps two rings, of
// keys and of values.
class MemsizerWindow {
 public:
  // Its projections of a token, side by side, for the caller to join with others: [3 * dim].
  static constexpr const char* kProjections[] = {"window_q_proj", "window_k_proj", "window_v_proj"};

  MemsizerWindow(const MixerConfig& config, const Weights& weights);

  // Adds to `out`, a row per token. The queries among the projections are scaled in place; the rings are
  // `rings_at` numbers into a row's state.
  void add(Work& work, const Ragged& rows, Rows projected, const RowStates& states, int64_t rings_at,
           Rows out) const;

 private:
  int64_t dim_;
  int64_t heads_;
  int64_t head_dim_;
  int64_t window_;
  Linear output_;
};

}  // namespace memsizer::runtime
