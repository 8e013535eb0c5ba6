#include "mechanisms/description.h"
#include "mechanisms/parts.h"

// Linear attention (Katharopoulos et al.): softmax's exp(q . k) becomes phi(q) . phi(k), phi(x) = elu(x) + 1:
//
//   out_t = phi(q_t) . sum of phi(k_s) (x) v_s / (phi(q_t) . sum of phi(k_s) + 1e-6)
namespace memsizer {
namespace {

class EluDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "elu",
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .linear = true,
                                            .recurrent = true,
                                            .length_agnostic = true};
    return traits;
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    list_attention_projections(config, to);
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    return kernel_state(config, config.head_dim());
  }
};

}  // namespace

const MechanismDescription& elu_description() {
  static const EluDescription description;
  return description;
}

}  // namespace memsizer
