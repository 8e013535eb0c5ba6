#include "support/mechanism_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

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

// Every other value of every switch and choice of the mechanism's own options.
std::vector<std::string> changes_of(Mechanism mechanism) {
  std::vector<std::string> changes;
  const auto section = mechanism->options();
  if (!section) return changes;
  std::vector<OptionRef> options;
  section->collect("model", options);
  for (const OptionRef& option : options) {
    const nlohmann::json value = option.get();
    if (option.path.ends_with(".heads")) changes.push_back(option.path + "=2");
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
  const std::vector<std::string> changes = changes_of(mechanism);
  std::vector<MechanismVariant> variants = {{std::string(mechanism.name()), mechanism, {}}};
  std::set<std::string> used;
  const auto add = [&](const std::vector<std::string>& settings) {
    MechanismVariant variant{fmt::format("{}", fmt::join(settings, " ")), mechanism, settings};
    if (!is_valid(variant, position)) return;
    variants.push_back(std::move(variant));
    used.insert(settings.begin(), settings.end());
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    add({changes[i]});
    for (size_t j = i + 1; j < changes.size(); ++j) {
      if (option_of(changes[i]) != option_of(changes[j])) add({changes[i], changes[j]});
    }
  }
  // A change may need two others.
  for (const std::string& change : changes) {
    for (size_t i = 0; i < changes.size() && !used.contains(change); ++i) {
      for (size_t j = i + 1; j < changes.size() && !used.contains(change); ++j) {
        const std::set<std::string> options = {option_of(change), option_of(changes[i]),
                                               option_of(changes[j])};
        if (options.size() == 3) add({changes[i], changes[j], change});
      }
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
    if (name.starts_with("causal_")) option.set(4);
    if (name.starts_with("cross_")) option.set(6);
    if (name.starts_with("encoder_")) option.set(8);
    if (name == "slots") option.set(5);
    if (name == "max_length") option.set(300);
  }
  return config;
}

MixerConfig mixer_of(const MechanismVariant& variant, Position position) {
  ModelConfig config = small_model_config();
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
      if (name.starts_with("causal_") || name.starts_with("cross_")) option.set(nlohmann::json{4, 6});
    }
    stacks.push_back(
        {fmt::format("{} and {}", causal[i].name(), causal[(i + 1) % causal.size()].name()), config});
  }
  return stacks;
}

}  // namespace memsizer::testing
