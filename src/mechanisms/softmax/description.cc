#include "mechanisms/softmax/description.h"

#include "mechanisms/parts.h"

namespace memsizer {

int64_t softmax_convolution(const MixerConfig& config) {
  return config.position == Position::CausalSelf ? config.options<SoftmaxOptions>().convolution : 0;
}

namespace {

class SoftmaxDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "softmax",
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .length_agnostic = true,
                                            .in_paper_tables = true,
                                            .baseline = true,
                                            .note = "its cache grows with every token"};
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<SoftmaxOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    require_convolution("model.softmax.causal_convolution", softmax_convolution(config));
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    list_attention_projections(config, to);
    list_convolution(config, softmax_convolution(config), to);
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    if (config.position == Position::EncoderSelf) return {};
    std::vector<StateField> fields = {token_field(config, "keys"), token_field(config, "values")};
    const int64_t taps = softmax_convolution(config);
    if (taps > 1) fields.push_back(convolution_field(config, taps));
    if (taps > 0) fields.push_back(count_field());
    return fields;
  }
};

}  // namespace

const MechanismDescription& softmax_description() {
  static const SoftmaxDescription description;
  return description;
}

}  // namespace memsizer
