#pragma once

#include <torch/torch.h>

#include "nn/mixer_state.h"
#include "nn/pass.h"
#include "nn/projections.h"

namespace memsizer::nn {

// Softmax attention over the newest `window` tokens, the present one included: time linear in the sequence, a
// state of constant size. The state keeps the keys and values in the rings `window_keys` and `window_values`.
class WindowAttention {
 public:
  // Registers window_q_proj, window_k_proj, window_v_proj and window_out_proj in `owner`.
  WindowAttention(torch::nn::Module& owner, int64_t dim, int64_t heads, int64_t window);

  void initialise(at::Generator& generator) { projections_.initialise(generator); }

  struct Input {
    at::Tensor x;        // [time, batch, dim]
    at::Tensor skipped;  // tokens that nobody may see [batch, time], or undefined
    at::Tensor before;   // tokens read before x [batch], undefined at the start
    at::Tensor after;    // tokens read including x [batch]
    double dropout = 0.0;
  };
  at::Tensor forward(const Input& input, MixerState& state, bool with_state, const Pass& pass) const;

 private:
  int64_t heads_;
  int64_t window_;
  Projections projections_;
};

}  // namespace memsizer::nn
