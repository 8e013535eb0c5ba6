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
//
// What goes past the paper, each an option that is off by default:
//
//   groups       g memories [k, d/g] side by side, each with r/g heads and writing weights of its own
//   read mean    l = softmax(W_l x), z_t = z_{t-1} + l_t beside V_t; the read is abar . V divided by
//                abar . z + 1e-4; no 1/sqrt(t), no 1/sqrt(M)
//   read both    the first half of the groups sums, the others take means
//   read pool    cross and encoder: V = sum of p_s (x) r_s with p = softmax over the tokens s of LN(W_l x_s):
//                each slot attends to the source; no 1/sqrt(M)
//   value norm   off, cross and encoder: r = W_r x, so that a token can write little or nothing
//   forget       causal: V_t = gamma_t V_{t-1} + l_t (x) r_t, and z alike, with gamma = sigmoid(W_f x + b_f)
//                per group; the read of a sum is LN(abar . V) per group in place of 1/sqrt(t)
//   convolution  causal: x_t + sum over i < n of c_i o x_{t-i} takes the place of x_t in everything above
//   gate         the read times SiLU(W_g x)
//   output       W_o times the (gated) read
//   window       causal: softmax attention over the last w tokens is added
namespace memsizer {

enum class MemsizerKeys { Learned, Frozen, Input };
enum class MemsizerRead { Sum, Mean, Both, Pool };

template <>
std::span<const std::pair<MemsizerKeys, std::string_view>> enum_names<MemsizerKeys>();
template <>
std::span<const std::pair<MemsizerRead, std::string_view>> enum_names<MemsizerRead>();

struct MemsizerOptions {
  static constexpr std::string_view kSection = "memsizer";
  static constexpr size_t kFirstOptions = 9;  // those of the published form

  Widths slots;
  int64_t heads = 0;
  MemsizerKeys keys = MemsizerKeys::Learned;
  double key_scale = 8.0;
  double value_scale = 8.0;
  bool bias = true;
  bool affine_norms = true;
  ByPosition<MemsizerRead> read;
  ByPosition<int64_t> groups = {1, 1, 1};
  ByPosition<bool> gate;
  ByPosition<bool> output;
  bool cross_value_norm = true;
  bool encoder_value_norm = true;
  bool forget = false;
  int64_t convolution = 0;
  int64_t window = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("causal_slots", self.slots.causal, "memory slots k in causal self-attention");
    visit("cross_slots", self.slots.cross, "memory slots k in cross-attention");
    visit("encoder_slots", self.slots.encoder, "memory slots k in the encoder");
    visit("heads", self.heads, "heads r, each with keys of its own; 0 takes the layer's heads");
    visit("keys", self.keys, "learned, frozen at their initial value, or made from the input");
    visit("key_scale", self.key_scale, "keys start at Xavier's range divided by the root of this");
    visit("value_scale", self.value_scale,
          "writing projections before a layer norm start at Xavier's range divided by the root of this");
    visit("bias", self.bias, "biases on the projections (the authors' code has them, the paper does not)");
    visit("affine_norms", self.affine_norms, "trained weight and bias in the layer norms");
    visit("causal_read", self.read.causal,
          "what causal self-attention reads: the sum of what was written (published), its weighted mean, or "
          "both, in half of the groups each");
    visit("cross_read", self.read.cross,
          "what cross-attention reads: sum, mean, both, or pool: each slot attends to the source's tokens");
    visit("encoder_read", self.read.encoder, "what the encoder reads: sum, mean, both or pool");
    visit("causal_groups", self.groups.causal,
          "memories side by side in causal self-attention, each with its share of heads and width");
    visit("cross_groups", self.groups.cross, "memories side by side in cross-attention");
    visit("encoder_groups", self.groups.encoder, "memories side by side in the encoder");
    visit("causal_gate", self.gate.causal, "a SiLU gate on the read of causal self-attention");
    visit("cross_gate", self.gate.cross, "a SiLU gate on the read of cross-attention");
    visit("encoder_gate", self.gate.encoder, "a SiLU gate on the read of the encoder");
    visit("causal_output", self.output.causal, "an output projection in causal self-attention");
    visit("cross_output", self.output.cross, "an output projection in cross-attention");
    visit("encoder_output", self.output.encoder, "an output projection in the encoder");
    visit("cross_value_norm", self.cross_value_norm,
          "the layer norm of what cross-attention writes (published); off, a token can write little or "
          "nothing");
    visit("encoder_value_norm", self.encoder_value_norm, "the layer norm of what the encoder writes");
    visit("causal_forget", self.forget, "causal memories fade by a factor that each token decides");
    visit("causal_convolution", self.convolution,
          "tokens that are mixed by a short convolution before causal self-attention; 0 for none");
    visit("causal_window", self.window,
          "newest tokens that softmax attention reads beside the causal memory; 0 for none");
  }
};

// MemSizer plus: the options that measured best together (docs/results.md), as a mechanism of its own name.
struct MemsizerPlusOptions : MemsizerOptions {
  // What measures best may change, so files name every option; one that came later was as published before.
  using Unnamed = MemsizerOptions;
  static constexpr std::string_view kSection = "memsizer-plus";
  static constexpr size_t kFirstOptions = 100;  // all are written

  MemsizerPlusOptions() {
    slots.causal = 16;
    heads = 8;
    // What starts with small weights before its layer norm or softmax learns far faster (docs/results.md).
    value_scale = 1e4;
    read.cross = read.encoder = MemsizerRead::Mean;
    groups.causal = 4;
    output = {.causal = false, .cross = true, .encoder = true};
    // A long source has tokens that should write nothing (docs/results.md, why titles were generic).
    cross_value_norm = encoder_value_norm = false;
    forget = true;
    convolution = 4;
  }
};

// The options of a mixer's own mechanism, one of the two.
const MemsizerOptions& memsizer_options(const MixerConfig& config);

// The form of one memory, as its tensors, its state and its computations need it.
struct MemsizerForm {
  explicit MemsizerForm(const MixerConfig& config);

  int64_t dim;
  int64_t slots;
  int64_t heads;
  int64_t groups;
  int64_t mean_groups;  // the last ones: they keep a normaliser
  bool pool;            // all groups: slots attend to the source
  bool input_keys;
  bool forget;
  bool gate;
  bool output;
  bool value_norm;
  int64_t convolution;
  int64_t window;

  int64_t keys() const { return heads * slots; }
  int64_t left_width() const { return groups * slots; }
  int64_t group_dim() const { return dim / groups; }
  int64_t group_heads() const { return heads / groups; }
  int64_t sum_groups() const { return pool ? 0 : groups - mean_groups; }
  // The first ones: what they write is a layer norm, not a softmax over the slots.
  int64_t normed_groups() const { return groups - mean_groups; }
  // A sum that forgets has no length to divide by; it is normalised instead.
  bool norms_read() const { return forget && sum_groups() > 0; }

  // Added to the sum of weights that a mean is divided by.
  static constexpr float kMeanEpsilon = 1e-4F;
};

}  // namespace memsizer
