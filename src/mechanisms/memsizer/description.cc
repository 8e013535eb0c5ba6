#include "mechanisms/memsizer/description.h"

#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "core/option_checks.h"
#include "mechanisms/parts.h"

namespace memsizer {

template <>
std::span<const std::pair<MemsizerKeys, std::string_view>> enum_names<MemsizerKeys>() {
  static constexpr auto names = std::to_array<std::pair<MemsizerKeys, std::string_view>>(
      {{MemsizerKeys::Learned, "learned"}, {MemsizerKeys::Frozen, "frozen"}, {MemsizerKeys::Input, "input"}});
  return names;
}

template <>
std::span<const std::pair<MemsizerRead, std::string_view>> enum_names<MemsizerRead>() {
  static constexpr auto names =
      std::to_array<std::pair<MemsizerRead, std::string_view>>({{MemsizerRead::Sum, "sum"},
                                                                {MemsizerRead::Mean, "mean"},
                                                                {MemsizerRead::Both, "both"},
                                                                {MemsizerRead::Pool, "pool"}});
  return names;
}

const MemsizerOptions& memsizer_options(const MixerConfig& config) {
  if (config.mechanism.name() == MemsizerPlusOptions::kSection) return config.options<MemsizerPlusOptions>();
  return config.options<MemsizerOptions>();
}

MemsizerForm::MemsizerForm(const MixerConfig& config) : dim(config.dim) {
  const auto& options = memsizer_options(config);
  const bool causal = config.position == Position::CausalSelf;
  slots = config.width(options.slots);
  heads = options.heads > 0 ? options.heads : config.heads;
  groups = options.groups.at(config.position);
  const MemsizerRead read = options.read.at(config.position);
  pool = read == MemsizerRead::Pool;
  mean_groups = read == MemsizerRead::Mean ? groups : read == MemsizerRead::Both ? groups - groups / 2 : 0;
  input_keys = options.keys == MemsizerKeys::Input;
  forget = causal && options.forget;
  gate = options.gate.at(config.position);
  output = options.output.at(config.position);
  value_norm =
      causal || (config.position == Position::Cross ? options.cross_value_norm : options.encoder_value_norm);
  convolution = causal ? options.convolution : 0;
  window = causal ? options.window : 0;
}

namespace {

template <typename Options>
class MemsizerDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr bool published = std::is_same_v<Options, MemsizerOptions>;
    static constexpr MechanismTraits traits{.name = Options::kSection,
                                            .encoder_self = true,
                                            .causal_self = true,
                                            .cross = true,
                                            .linear = true,
                                            .recurrent = true,
                                            .length_agnostic = true,
                                            .splits_width = false,  // its heads are sets of keys
                                            .in_paper_tables = published,
                                            .preset = !published};
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<Options>>();
  }

  void validate(const MixerConfig& config) const override {
    const auto& options = memsizer_options(config);
    const std::string_view section = traits().name;
    const auto option = [&](std::string_view field) { return fmt::format("model.{}.{}", section, field); };
    // One slot is no memory: the layer norm or softmax of a single number is constant.
    require_range(width_option(config, section, "slots"), config.width(options.slots), 2, kMaxWidth);
    require_range(option("heads"), options.heads, 0, kMaxWidth);
    require_positive(option("key_scale"), options.key_scale);
    require_positive(option("value_scale"), options.value_scale);
    require_convolution(option("causal_convolution"), options.convolution);
    require_range(option("causal_window"), options.window, 0, kMaxWidth);

    const MemsizerForm form(config);
    const std::string groups = width_option(config, section, "groups");
    require_range(groups, form.groups, 1, kMaxWidth);
    if (form.heads % form.groups != 0 || form.dim % form.groups != 0) {
      throw UserError("{} is {}; it must divide the mechanism's heads ({}) and the model's width ({})",
                      groups, form.groups, form.heads, form.dim);
    }
    if (options.read.at(config.position) == MemsizerRead::Both && form.groups < 2) {
      throw UserError("{} is both with one group; set {} to 2 or more, so that some sum and some take means",
                      width_option(config, section, "read"), groups);
    }
    if (form.pool && config.position == Position::CausalSelf) {
      throw UserError("{} is pool; a causal memory has no whole source to attend to, use sum, mean or both",
                      width_option(config, section, "read"));
    }
    if (form.norms_read() && form.group_dim() < 2) {
      throw UserError("{} is {} with {}; groups of {} channels leave nothing to normalise, use fewer", groups,
                      form.groups, option("causal_forget"), form.group_dim());
    }
    if (form.window > 0 && (config.heads < 1 || config.dim % config.heads != 0)) {
      throw UserError(
          "{} is {}; softmax attention over it needs a number of heads that divides the width {}, "
          "found {}",
          option("causal_window"), form.window, config.dim, config.heads);
    }
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const auto& options = memsizer_options(config);
    const MemsizerForm form(config);
    const bool cross = config.position == Position::Cross;
    const auto writer = [&](const std::string& prefix, int64_t left, bool norms_left, bool norms_right) {
      to.linear(prefix + "k_proj", left, form.dim, {.bias = options.bias, .reads_source = cross});
      to.linear(prefix + "v_proj", form.dim, form.dim, {.bias = options.bias, .reads_source = cross});
      if (!options.affine_norms) return;
      if (norms_left) to.layer_norm(prefix + "k_layer_norm", form.slots);
      if (norms_right) to.layer_norm(prefix + "v_layer_norm", form.dim);
    };
    if (form.input_keys) {
      writer("key_", form.keys(), true, true);
    } else {
      to.linear("q_proj", form.keys(), form.dim,
                {.bias = options.bias,
                 .role = options.keys == MemsizerKeys::Frozen ? TensorRole::Frozen : TensorRole::Trained});
    }
    writer("", form.left_width(), form.normed_groups() > 0, form.value_norm);
    list_convolution(config, form.convolution, to);
    if (form.forget) {
      // Small, and what it decides is used again in every later step, so it keeps its precision.
      to.add("decay_proj.weight", {form.groups, form.dim});
      to.add("decay_proj.bias", {form.groups});
    }
    if (form.norms_read() && options.affine_norms) to.layer_norm("read_layer_norm", form.group_dim());
    if (form.gate) to.linear("gate_proj", form.dim, form.dim);
    if (form.output) to.linear("out_proj", form.dim, form.dim);
    if (form.window > 0) {
      for (const char* name : {"window_q_proj", "window_k_proj", "window_v_proj", "window_out_proj"})
        to.linear(name, form.dim, form.dim);
    }
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    if (config.position == Position::EncoderSelf) return {};
    const MemsizerForm form(config);
    std::vector<StateField> fields = {{.name = "memory", .shape = {form.slots, form.dim}}};
    if (form.groups > 1) fields.back().shape = {form.groups, form.slots, form.group_dim()};
    if (form.mean_groups > 0)
      fields.push_back({.name = "normaliser", .shape = {form.mean_groups, form.slots}});
    if (form.input_keys) fields.push_back({.name = "key_memory", .shape = {form.dim, form.keys()}});
    if (form.convolution > 1) fields.push_back(convolution_field(config, form.convolution));
    if (form.window > 0) {
      // Rings too.
      fields.push_back({.name = "window_keys", .shape = {form.window, form.dim}});
      fields.push_back({.name = "window_values", .shape = {form.window, form.dim}});
    }
    if (config.position == Position::CausalSelf) fields.push_back(count_field());
    return fields;
  }
};

}  // namespace

const MechanismDescription& memsizer_description() {
  static const MemsizerDescription<MemsizerOptions> description;
  return description;
}

const MechanismDescription& memsizer_plus_description() {
  static const MemsizerDescription<MemsizerPlusOptions> description;
  return description;
}

}  // namespace memsizer
