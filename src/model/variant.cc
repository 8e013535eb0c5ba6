#include "model/variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "core/error.h"
#include "core/options.h"

namespace memsizer {
namespace {

// The path of a mechanism's own option, such as "model.memsizer.keys"; empty if it has none of that name.
std::string own_option(Mechanism mechanism, std::string_view name) {
  const auto section = mechanism->options();
  if (!section) return {};
  std::vector<OptionRef> options;
  section->collect("model", options);
  std::string path = fmt::format("model.{}.{}", section->name(), name);
  return find_option(options, path) ? path : std::string();
}

int64_t number_of(std::string_view text, std::string_view whole) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 65536)
    throw UserError("slots '{}' cannot be read; expected a number such as 32, or causal/cross such as 4/32",
                    whole);
  return value;
}

}  // namespace

std::string_view size_name(Mechanism mechanism) {
  for (const std::string_view name : {"slots", "features"}) {
    if (!own_option(mechanism, fmt::format("causal_{}", name)).empty()) return name;
  }
  return {};
}

SlotChoice SlotChoice::parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    const int64_t both = number_of(text, text);
    return {both, both};
  }
  return {number_of(text.substr(0, slash), text), number_of(text.substr(slash + 1), text)};
}

std::string SlotChoice::text() const {
  return causal == cross ? fmt::to_string(causal) : fmt::format("{}/{}", causal, cross);
}

std::string Variant::name() const {
  std::string result = stack.empty() ? mechanism : stack;
  if (slots) {
    result += slots->causal == slots->cross ? fmt::format("-k{}", slots->causal)
                                            : fmt::format("-k{}-{}", slots->causal, slots->cross);
  }
  if (heads) result += fmt::format("-heads{}", *heads);
  if (!keys.empty()) result += "-" + keys;
  return result;
}

std::vector<std::string> Variant::settings(const ModelConfig& base) const {
  const Mechanism chosen = mechanism_named(mechanism);
  std::vector<std::string> result;
  if (!own) result.push_back("model.decoder.self=" + mechanism);
  if (!own && base.has_encoder())
    result.push_back("model.decoder.cross=" +
                     (chosen.traits().cross ? mechanism : std::string(baseline_mechanism().name())));
  if (slots) {
    const std::string_view size = size_name(chosen);
    const auto set = [&](const char* position, int64_t value) {
      result.push_back(fmt::format("{}={}", own_option(chosen, fmt::format("{}_{}", position, size)), value));
    };
    set("causal", slots->causal);
    if (base.has_encoder()) set("cross", slots->cross);
  }
  if (heads) {
    const std::string own_heads = own_option(chosen, "heads");
    result.push_back(fmt::format("{}={}", own_heads.empty() ? "model.decoder.heads" : own_heads, *heads));
  }
  if (!keys.empty()) result.push_back(fmt::format("{}={}", own_option(chosen, "keys"), keys));
  return result;
}

ModelConfig Variant::applied_to(ModelConfig base) const {
  const std::vector<std::string> all = settings(base);
  const std::vector<OptionRef> known = collect_options(base, "model");
  for (const std::string& setting : all) set_option_assignment(known, setting);
  base.validate();
  return base;
}

std::vector<Variant> variants_of(const VariantLists& lists) {
  std::vector<Variant> result;
  // One round each for what is not asked for.
  std::vector<std::optional<SlotChoice>> slots;
  for (const std::string& text : lists.slots) slots.emplace_back(SlotChoice::parse(text));
  if (slots.empty()) slots.emplace_back();
  std::vector<std::optional<int64_t>> heads(lists.heads.begin(), lists.heads.end());
  if (heads.empty()) heads.emplace_back();
  std::vector<std::string> keys = lists.keys;
  if (keys.empty()) keys.emplace_back();
  for (const std::string& mechanism : lists.mechanisms) {
    const Mechanism chosen = mechanism_named(mechanism);
    require_position(chosen, Position::CausalSelf);
    const bool sized = !size_name(chosen).empty();
    const bool keyed = !own_option(chosen, "keys").empty();
    for (size_t s = 0; s < (sized ? slots.size() : 1); ++s) {
      for (const std::optional<int64_t>& head : heads) {
        for (size_t k = 0; k < (keyed ? keys.size() : 1); ++k)
          result.push_back(
              {mechanism, sized ? slots[s] : std::nullopt, head, keyed ? keys[k] : "", false, {}});
      }
    }
  }
  return result;
}

std::vector<Variant> variants_of(const VariantLists& lists, const ModelConfig& base) {
  if (!lists.mechanisms.empty()) return variants_of(lists);
  VariantLists own = lists;
  own.mechanisms.emplace_back(base.decoder.self.at(0).name());
  std::vector<Variant> result = variants_of(own);
  std::string stack;
  for (const Mechanism& mechanism : base.decoder.self.values())
    stack += (stack.empty() ? "" : "+") + std::string(mechanism.name());
  for (Variant& variant : result) {
    variant.own = true;
    if (base.decoder.self.values().size() > 1) variant.stack = stack;
  }
  return result;
}

std::string size_text(const ModelConfig& config) {
  ModelConfig copy = config;
  const std::vector<OptionRef> options = collect_options(copy, "model");
  const Mechanism mechanism = config.decoder.self.at(0);
  const std::string_view size = size_name(mechanism);
  if (size.empty()) return "";
  const auto value = [&](const char* position) {
    return find_option(options, own_option(mechanism, fmt::format("{}_{}", position, size)))->get().dump();
  };
  return config.has_encoder() ? fmt::format("{}/{}", value("causal"), value("cross")) : value("causal");
}

int64_t heads_of(const ModelConfig& config) {
  ModelConfig copy = config;
  const std::vector<OptionRef> options = collect_options(copy, "model");
  const std::string own_heads = own_option(config.decoder.self.at(0), "heads");
  const int64_t own = own_heads.empty() ? 0 : find_option(options, own_heads)->get().get<int64_t>();
  return own > 0 ? own : config.decoder.heads;
}

}  // namespace memsizer
