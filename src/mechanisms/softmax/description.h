#pragma once

#include "mechanisms/description.h"

// Multi-head softmax attention. For each head of h channels, q, k and v being its parts of three projections:
//
//   out_t = W_o concat over heads of sum over s of softmax_s(q_t . k_s / sqrt(h)) v_s
//
// over the tokens up to t (causal) or all of the source. It keeps the keys and values of every token. Its one
// option is the control for mechanisms with the same convolution: x_t + sum over i < n of c_i o x_{t-i} in
// place of x_t.
namespace memsizer {

struct SoftmaxOptions {
  static constexpr std::string_view kSection = "softmax";
  static constexpr size_t kFirstOptions = 0;  // the published form has none

  int64_t convolution = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("causal_convolution", self.convolution,
          "tokens that are mixed by a short convolution before causal self-attention; 0 for none");
  }
};

// Tokens that the convolution of this mixer mixes; 0 for none.
int64_t softmax_convolution(const MixerConfig& config);

}  // namespace memsizer
