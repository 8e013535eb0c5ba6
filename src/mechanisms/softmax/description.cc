#include "mechanisms/description.h"
#include "mechanisms/parts.h"

// Multi-head softmax attention. For each head of h channels, q, k and v being its parts of three projections:
//
//   out_t = W_o concat over heads of sum over s of softmax_s(q_t . k_s / sqrt(h)) v_s
//
// over the tokens up to t (causal) or all of the source. It keeps the keys and values of every token.
namespace memsizer {
namespace {

class SoftmaxDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "softmax",
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .length_agnostic = true,
                                            .note = "its cache grows with every token"};
    return traits;
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    list_attention_projections(config, to);
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    if (config.position == Position::EncoderSelf) return {};
    return {token_field(config, "keys"), token_field(config, "values")};
  }
};

}  // namespace

const MechanismDescription& softmax_description() {
  static const SoftmaxDescription description;
  return description;
}

}  // namespace memsizer
