#include "mechanisms/linformer/description.h"

#include <array>

#include "core/option_checks.h"
#include "mechanisms/parts.h"

namespace memsizer {

template <>
std::span<const std::pair<LinformerForm, std::string_view>> enum_names<LinformerForm>() {
  static constexpr auto names = std::to_array<std::pair<LinformerForm, std::string_view>>(
      {{LinformerForm::Fairseq, "fairseq"}, {LinformerForm::Lucid, "lucid"}});
  return names;
}

namespace {

class LinformerDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{
        .name = "linformer",
        .encoder_self = true,
        .linear = true,
        .note = "each compressed slot mixes all positions, past and future"};
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<LinformerOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    const auto& options = config.options<LinformerOptions>();
    require_range("model.linformer.max_length", options.max_length, 1, kMaxWidth);
    require_range("model.linformer.slots", options.slots, 1, options.max_length);
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const auto& options = config.options<LinformerOptions>();
    if (options.form == LinformerForm::Fairseq) {
      list_attention_projections(config, to);
      to.add("compress_k.weight", {options.slots, options.max_length});
      if (!options.shared) to.add("compress_v.weight", {options.slots, options.max_length});
      return;
    }
    to.linear("q_proj", config.dim, config.dim, {.bias = false});
    to.linear("k_proj", config.dim, config.dim, {.bias = false});
    to.add("proj_k", {options.max_length, options.slots});
    if (!options.shared) {
      to.linear("v_proj", config.dim, config.dim, {.bias = false});
      to.add("proj_v", {options.max_length, options.slots});
    }
    to.linear("out_proj", config.dim, config.dim);
  }

  std::vector<StateField> state(const MixerConfig& /*config*/) const override { return {}; }
};

}  // namespace

const MechanismDescription& linformer_description() {
  static const LinformerDescription description;
  return description;
}

}  // namespace memsizer
