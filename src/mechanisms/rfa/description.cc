#include "mechanisms/rfa/description.h"

#include <array>

#include "core/option_checks.h"
#include "mechanisms/parts.h"

namespace memsizer {

template <>
std::span<const std::pair<RfaForm, std::string_view>> enum_names<RfaForm>() {
  static constexpr auto names = std::to_array<std::pair<RfaForm, std::string_view>>(
      {{RfaForm::Authors, "authors"}, {RfaForm::T2r, "t2r"}});
  return names;
}

template <>
std::span<const std::pair<RfaRule, std::string_view>> enum_names<RfaRule>() {
  static constexpr auto names = std::to_array<std::pair<RfaRule, std::string_view>>(
      {{RfaRule::Recurrent, "recurrent"}, {RfaRule::Masked, "masked"}});
  return names;
}

namespace {

class RfaDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "rfa",
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .linear = true,
                                            .recurrent = true,
                                            .length_agnostic = true};
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<RfaOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    const auto& options = config.options<RfaOptions>();
    require_range(width_option(config, "rfa", "features"), config.width(options.features), 1, kMaxWidth);
    require_positive("model.rfa.tau", options.tau);
    require_positive("model.rfa.init_scale", options.init_scale);
    if (options.form == RfaForm::Authors) {
      if (options.learned_tau) throw UserError("model.rfa.learned_tau needs model.rfa.form=t2r");
      if (options.gate) throw UserError("model.rfa.gate needs model.rfa.form=t2r");
      if (!options.sigma) throw UserError("model.rfa.sigma=false needs model.rfa.form=t2r");
      return;
    }
    if (options.rule == RfaRule::Masked) throw UserError("model.rfa.rule=masked needs model.rfa.form=authors");
    if (options.learned_tau && options.sigma)
      throw UserError("model.rfa.learned_tau and model.rfa.sigma exclude each other; turn one of them off");
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const auto& options = config.options<RfaOptions>();
    list_attention_projections(config, to);
    if (options.sigma) to.add("sigma", {config.heads, 1, config.head_dim()});
    if (options.learned_tau) {
      to.add("tau", {config.heads, 1, 1});
    } else {
      to.add("tau", {1}, TensorRole::Frozen);
    }
    if (options.gate && config.position == Position::CausalSelf) to.linear("g_proj", config.heads, config.dim);
    to.add("random_matrices", {config.heads, config.width(options.features), config.head_dim()},
           TensorRole::Buffer);
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    return kernel_state(config, 2 * config.width(config.options<RfaOptions>().features));
  }
};

}  // namespace

const MechanismDescription& rfa_description() {
  static const RfaDescription description;
  return description;
}

}  // namespace memsizer
