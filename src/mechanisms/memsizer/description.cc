#include "mechanisms/memsizer/description.h"

#include <array>

#include "core/option_checks.h"
#include "mechanisms/parts.h"

namespace memsizer {

template <>
std::span<const std::pair<MemsizerKeys, std::string_view>> enum_names<MemsizerKeys>() {
  static constexpr auto names = std::to_array<std::pair<MemsizerKeys, std::string_view>>(
      {{MemsizerKeys::Learned, "learned"}, {MemsizerKeys::Frozen, "frozen"}, {MemsizerKeys::Input, "input"}});
  return names;
}

MemsizerSizes::MemsizerSizes(const MixerConfig& config)
    : slots(config.width(config.options<MemsizerOptions>().slots)),
      heads(config.options<MemsizerOptions>().heads > 0 ? config.options<MemsizerOptions>().heads
                                                        : config.heads) {}

namespace {

class MemsizerDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "memsizer",
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .linear = true,
                                            .recurrent = true,
                                            .length_agnostic = true,
                                            .splits_width = false};  // its heads are sets of keys
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<MemsizerOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    const auto& options = config.options<MemsizerOptions>();
    // One slot is no memory: the layer norm of a single number is constant.
    require_range(width_option(config, "memsizer", "slots"), config.width(options.slots), 2, kMaxWidth);
    require_range("model.memsizer.heads", options.heads, 0, kMaxWidth);
    require_positive("model.memsizer.key_scale", options.key_scale);
    require_positive("model.memsizer.value_scale", options.value_scale);
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const auto& options = config.options<MemsizerOptions>();
    const MemsizerSizes sizes(config);
    const bool cross = config.position == Position::Cross;
    const auto writer = [&](const std::string& prefix, int64_t left) {
      to.linear(prefix + "k_proj", left, config.dim, {.bias = options.bias, .reads_source = cross});
      to.linear(prefix + "v_proj", config.dim, config.dim, {.bias = options.bias, .reads_source = cross});
      if (!options.affine_norms) return;
      to.layer_norm(prefix + "k_layer_norm", sizes.slots);
      to.layer_norm(prefix + "v_layer_norm", config.dim);
    };
    if (options.keys == MemsizerKeys::Input) {
      writer("key_", sizes.keys());
    } else {
      to.linear("q_proj", sizes.keys(), config.dim,
                {.bias = options.bias,
                 .role = options.keys == MemsizerKeys::Frozen ? TensorRole::Frozen : TensorRole::Trained});
    }
    writer("", sizes.slots);
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    if (config.position == Position::EncoderSelf) return {};
    const MemsizerSizes sizes(config);
    std::vector<StateField> fields = {{.name = "memory", .shape = {sizes.slots, config.dim}}};
    if (config.options<MemsizerOptions>().keys == MemsizerKeys::Input)
      fields.push_back({.name = "key_memory", .shape = {config.dim, sizes.keys()}});
    if (config.position == Position::CausalSelf) fields.push_back({.name = "count", .shape = {}, .type = DType::I64});
    return fields;
  }
};

}  // namespace

const MechanismDescription& memsizer_description() {
  static const MemsizerDescription description;
  return description;
}

}  // namespace memsizer
