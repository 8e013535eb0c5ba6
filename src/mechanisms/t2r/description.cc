#include "mechanisms/t2r/description.h"

#include "core/option_checks.h"
#include "mechanisms/parts.h"

namespace memsizer {
namespace {

class T2rDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "t2r",
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .linear = true,
                                            .recurrent = true,
                                            .length_agnostic = true};
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<T2rOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    const auto& options = config.options<T2rOptions>();
    require_positive("model.t2r.init_scale", options.init_scale);
    require_range(width_option(config, "t2r", "features"), config.width(options.features), 1, kMaxWidth);
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const auto& options = config.options<T2rOptions>();
    const int64_t features = config.heads * config.width(options.features);
    list_attention_projections(config, to);
    to.add("feat.weight", {features, config.head_dim()});
    to.add("feat.bias", {features});
    to.add("tau", {1}, TensorRole::Frozen);
    if (options.sigma) to.add("sigma", {config.heads, 1, config.head_dim()});
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    return kernel_state(config, config.width(config.options<T2rOptions>().features));
  }
};

}  // namespace

const MechanismDescription& t2r_description() {
  static const T2rDescription description;
  return description;
}

}  // namespace memsizer
