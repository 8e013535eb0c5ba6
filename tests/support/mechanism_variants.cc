#include "support/mechanism_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/presets.h"

namespace memsizer::testing {
namespace {

// "one of a, b, c" -> a, b, c
std::vector<std::string> choices(const std::string& expects) {
  constexpr std::string_view kPrefix = "one of ";
  std::vector<std::string> names;
  if (!expects.starts_with(kPrefix)) return names;
  std::string_view rest = std::string_view(expects).substr(kPrefix.size());
  for (;;) {
    const size_t comma = rest.find(", ");
    names.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    rest.remove_prefix(comma + 2);
  }
}

// Numbers that change what a mechanism computes, and fit the small model.
constexpr std::pair<std::string_view, int64_t> kNumbers[] = {
    {".heads", 2}, {"_groups", 3}, {"_convolution", 3}, {"_window", 4}};

// Every other value of every switch and choice of the mechanism's own options that matter in the position.
std::vector<std::string> changes_of(Mechanism mechanism, Position position) {
  std::vector<std::string> changes;
  const auto section = mechanism->options();
  // The options of a preset are tested with the mechanism that it is made of.
  if (!section || mechanism.traits().preset) return changes;
  std::vector<OptionRef> options;
  section->collect("model", options);
  for (const OptionRef& option : options) {
    if (is_of_another_position(option.path.substr(option.path.rfind('.') + 1), position)) continue;
    const nlohmann::json value = option.get();
    for (const auto& [ending, number] : kNumbers) {
      if (option.path.ends_with(ending)) changes.push_back(fmt::format("{}={}", option.path, number));
    }
    if (value.is_boolean()) changes.push_back(fmt::format("{}={}", option.path, !value.get<bool>()));
    for (const std::string& choice : option.list ? std::vector<std::string>{} : choices(option.expects)) {
      if (value != choice) changes.push_back(fmt::format("{}={}", option.path, choice));
    }
  }
  return changes;
}

std::string option_of(const std::string& setting) {
  return setting.substr(0, setting.find('='));
}

void apply(const std::vector<std::string>& settings, ModelConfig& config) {
  const std::vector<OptionRef> options = collect_options(config, "model");
  for (const std::string& setting : settings) set_option_assignment(options, setting);
}

void use(Mechanism mechanism, Position position, ModelConfig& config) {
  switch (position) {
    case Position::EncoderSelf:
      config.encoder.self = mechanism;
      return;
    case Position::CausalSelf:
      config.decoder.self = mechanism;
      return;
    case Position::Cross:
      config.decoder.cross = mechanism;
      return;
  }
}

bool is_valid(const MechanismVariant& variant, Position position) {
  try {
    mixer_of(variant, position).validate();
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

std::vector<MechanismVariant> variants_of(Mechanism mechanism, Position position) {
  const std::vector<std::string> changes = changes_of(mechanism, position);
  const auto variant_of = [&](const std::vector<std::string>& settings) {
    return MechanismVariant{fmt::format("{}", fmt::join(settings, " ")), mechanism, settings};
  };
  // Both changes, unless they set one option twice or are refused together.
  const auto joined = [&](std::vector<std::string> settings, const std::vector<std::string>& more) {
    for (const std::string& setting : more) {
      if (std::ranges::find(settings, setting) != settings.end()) continue;
      for (const std::string& other : settings) {
        if (option_of(other) == option_of(setting)) return std::vector<std::string>();
      }
      settings.push_back(setting);
    }
    return is_valid(variant_of(settings), position) ? settings : std::vector<std::string>();
  };
  // A change may need one or two others.
  std::vector<std::vector<std::string>> units;
  for (const std::string& change : changes) {
    std::vector<std::string> unit = joined({change}, {});
    for (size_t i = 0; i < changes.size() && unit.empty(); ++i) unit = joined({change}, {changes[i]});
    for (size_t i = 0; i < changes.size() && unit.empty(); ++i) {
      for (size_t j = i + 1; j < changes.size() && unit.empty(); ++j)
        unit = joined({change}, {changes[i], changes[j]});
    }
    if (!unit.empty()) units.push_back(unit);
  }
  std::vector<MechanismVariant> variants = {{std::string(mechanism.name()), mechanism, {}}};
  for (size_t i = 0; i < units.size(); ++i) {
    variants.push_back(variant_of(units[i]));
    for (size_t j = i + 1; j < units.size(); ++j) {
      const std::vector<std::string> pair = joined(units[i], units[j]);
      if (!pair.empty()) variants.push_back(variant_of(pair));
    }
  }
  return variants;
}

std::vector<MechanismVariant> mechanism_variants(Position position) {
  std::vector<MechanismVariant> all;
  for (const Mechanism& mechanism : mechanisms()) {
    if (!mechanism.traits().supports(position)) continue;
    for (MechanismVariant& variant : variants_of(mechanism, position)) all.push_back(std::move(variant));
  }
  return all;
}

ModelConfig small_model_config() {
  ModelConfig config = preset_config("tiny");
  config.dim = 24;
  config.vocab = 50;
  config.encoder.heads = config.decoder.heads = 3;
  config.encoder.ffn = config.decoder.ffn = 40;
  config.dropout = 0.0;
  for (const OptionRef& option : collect_options(config, "model")) {
    const std::string name = option.path.substr(option.path.rfind('.') + 1);
    // A preset's heads and groups are made for larger models.
    const bool of_a_stack =
        option.path.starts_with("model.encoder") || option.path.starts_with("model.decoder");
    if (name == "heads" && !of_a_stack) option.set(0);
    if (name.ends_with("_groups") && option.get() != 1) option.set(3);
    if (option.list && name.starts_with("causal_")) option.set(4);
    if (option.list && name.starts_with("cross_")) option.set(6);
    if (option.list && name.starts_with("encoder_")) option.set(8);
    if (name == "slots") option.set(5);
    if (name == "max_length") option.set(300);
  }
  return config;
}

MixerConfig mixer_of(const MechanismVariant& variant, Position position) {
  ModelConfig config = small_model_config();
  // A preset's projections start near zero. In so narrow a mixer the layer norms behind them amplify rounding
  // until forms that are equal cannot be told from forms that are not.
  for (const OptionRef& option : collect_options(config, "model")) {
    if (option.path.ends_with(".value_scale")) option.set(8.0);
  }
  apply(variant.settings, config);
  use(variant.mechanism, position, config);
  return mixer_config(config, position);
}

ModelConfig with_variant(const MechanismVariant& variant) {
  ModelConfig config = small_model_config();
  apply(variant.settings, config);
  for (const Position position : kPositions) {
    if (variant.mechanism.traits().supports(position) && is_valid(variant, position))
      use(variant.mechanism, position, config);
  }
  return config;
}

std::vector<NamedConfig> mixed_stacks() {
  std::vector<Mechanism> causal;
  std::vector<Mechanism> cross;
  for (const Mechanism& mechanism : mechanisms()) {
    if (mechanism.traits().causal_self) causal.push_back(mechanism);
    if (mechanism.traits().cross) cross.push_back(mechanism);
  }
  std::vector<NamedConfig> stacks;
  for (size_t i = 0; i < causal.size(); ++i) {
    ModelConfig config = small_model_config();
    config.decoder.layers = 3;
    config.decoder.self = std::vector{causal[i], causal[(i + 1) % causal.size()]};
    config.decoder.cross =
        std::vector{cross[i % cross.size()], cross[(i + 1) % cross.size()], cross[i % cross.size()]};
    // Two widths over three layers: every layer of a mechanism may have its own.
    for (const OptionRef& option : collect_options(config, "model")) {
      const std::string name = option.path.substr(option.path.rfind('.') + 1);
      if (option.list && (name.starts_with("causal_") || name.starts_with("cross_")))
        option.set(nlohmann::json{4, 6});
    }
    stacks.push_back(
        {fmt::format("{} and {}", causal[i].name(), causal[(i + 1) % causal.size()].name()), config});
  }
  return stacks;
}

}  // namespace memsizer::testing
