#include "mechanisms/description.h"

// Marian's simple recurrent unit (SSRU), a gated running mean of each channel:
//
//   f_t = sigmoid(W_f x_t + b),   c_t = f_t o c_{t-1} + (1 - f_t) o W x_t,   out_t = relu(c_t)
namespace memsizer {
namespace {

class SsruDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{
        .name = "ssru",
        .causal_self = true,
        .linear = true,
        .recurrent = true,
        .length_agnostic = true,
        .splits_width = false,
        .note = "it is a recurrence over one sequence, from left to right"};
    return traits;
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    to.linear("forget_proj", config.dim, config.dim);
    to.linear("input_proj", config.dim, config.dim, {.bias = false});
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    return {{.name = "memory", .shape = {config.dim}}};
  }
};

}  // namespace

const MechanismDescription& ssru_description() {
  static const SsruDescription description;
  return description;
}

}  // namespace memsizer
