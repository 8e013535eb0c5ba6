#pragma once

#include "mechanisms/description.h"

// Synthesizer: attention weights that come from no comparison of tokens, for each head:
//
//   random   out_t = W_o sum over s of softmax_s(R[t, s]) v_s             R: trained, one number per pair
//   dense    out_t = W_o sum over s of softmax_s((W_2 relu(W_1 x_t))[s]) v_s
//
// Both have the longest length built in, and keep the values of every token.
namespace memsizer {

struct SynthesizerOptions {
  static constexpr std::string_view kSection = "synthesizer";

  int64_t max_length = 256;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("max_length", self.max_length, "longest sequence, built into the parameters");
  }
};

}  // namespace memsizer
