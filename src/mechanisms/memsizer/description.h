#pragma once

#include "mechanisms/description.h"

// MemSizer, the paper's mechanism. With d the model's width, k the slots of a memory, r the heads:
//
//   address   abar(x)  = 1/r sum over heads h of softmax(Phi_h x)          [k]   Phi: the keys, r * k rows
//   left      l(x)     = LN(W_l x)                                         [k]
//   right     r(x)     = LN(W_r x)                                         [d]
//   causal    V_t      = V_{t-1} + l(x_t) (x) r(x_t)                       [k, d]
//             out_t    = 1/sqrt(t) abar(x_t) . V_t
//   cross     V        = 1/sqrt(M) sum over the M source tokens of l(x_s) (x) r(x_s)
//             out_t    = abar(x_t) . V
//
// The encoder is cross with the sequence as its own source. The causal memory is kept unscaled beside the
// count t. Keys made from the input (keys = "input", the paper's appendix) are a memory of the same form,
// [d, r * k], whose product with x / sqrt(d) takes the place of Phi x.
namespace memsizer {

enum class MemsizerKeys { Learned, Frozen, Input };

template <>
std::span<const std::pair<MemsizerKeys, std::string_view>> enum_names<MemsizerKeys>();

struct MemsizerOptions {
  static constexpr std::string_view kSection = "memsizer";

  Widths slots;
  int64_t heads = 0;
  MemsizerKeys keys = MemsizerKeys::Learned;
  double key_scale = 8.0;
  double value_scale = 8.0;
  bool bias = true;
  bool affine_norms = true;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("causal_slots", self.slots.causal, "memory slots k in causal self-attention");
    visit("cross_slots", self.slots.cross, "memory slots k in cross-attention");
    visit("encoder_slots", self.slots.encoder, "memory slots k in the encoder");
    visit("heads", self.heads, "heads r, each with keys of its own; 0 takes the layer's heads");
    visit("keys", self.keys, "learned, frozen at their initial value, or made from the input");
    visit("key_scale", self.key_scale, "keys start at Xavier's range divided by the root of this");
    visit("value_scale", self.value_scale,
          "value projections start at Xavier's range divided by the root of this");
    visit("bias", self.bias, "biases on the projections (the authors' code has them, the paper does not)");
    visit("affine_norms", self.affine_norms, "trained weight and bias in both layer norms");
  }
};

// The sizes of one memory, as its tensors, its state and its computations need them.
struct MemsizerSizes {
  explicit MemsizerSizes(const MixerConfig& config);

  int64_t slots;
  int64_t heads;

  int64_t keys() const { return heads * slots; }
};

}  // namespace memsizer
