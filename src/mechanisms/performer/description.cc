#include "mechanisms/performer/description.h"

#include <array>

#include "core/option_checks.h"
#include "mechanisms/parts.h"

namespace memsizer {

template <>
std::span<const std::pair<PerformerForm, std::string_view>> enum_names<PerformerForm>() {
  static constexpr auto names = std::to_array<std::pair<PerformerForm, std::string_view>>(
      {{PerformerForm::Favor, "favor"},
       {PerformerForm::SoftmaxKernel, "softmax-kernel"},
       {PerformerForm::Prf, "prf"}});
  return names;
}

namespace {

class PerformerDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "performer",
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .linear = true,
                                            .recurrent = true,
                                            .length_agnostic = true};
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<PerformerOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    const auto& options = config.options<PerformerOptions>();
    const int64_t features = config.width(options.features);
    const std::string option = width_option(config, "performer", "features");
    require_range(option, features, 1, kMaxWidth);
    if (options.form == PerformerForm::Favor && features % 2 != 0)
      throw UserError("{} is {}; form favor pairs its features, so it must be even", option, features);
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const auto& options = config.options<PerformerOptions>();
    const int64_t features = config.width(options.features);
    list_attention_projections(config, to, options.form != PerformerForm::SoftmaxKernel || options.bias);
    switch (options.form) {
      case PerformerForm::Favor:
        to.add("omega", {config.head_dim(), features / 2}, TensorRole::Buffer);
        return;
      case PerformerForm::SoftmaxKernel:
        to.add("projection_matrix", {features, config.head_dim()}, TensorRole::Buffer);
        return;
      case PerformerForm::Prf:
        to.add("tau", {1}, TensorRole::Frozen);
        to.add("random_matrices", {config.heads, features, config.head_dim()}, TensorRole::Buffer);
        return;
    }
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    return kernel_state(config, config.width(config.options<PerformerOptions>().features));
  }
};

}  // namespace

const MechanismDescription& performer_description() {
  static const PerformerDescription description;
  return description;
}

}  // namespace memsizer
