#include "core/variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "core/error.h"
#include "core/names.h"
#include "core/options.h"

namespace memsizer {
namespace {

const MechanismTraits& traits_named(const std::string& name) {
  std::vector<std::string> known;
  for (const MechanismTraits& row : mechanism_table()) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw UserError("mechanism '{}' is not known{}; known are {}", name, did_you_mean(name, known),
                  fmt::join(known, ", "));
}

// What the mechanism calls its k; empty: it has none to choose.
std::string_view size_option(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::Memsizer:
      return "slots";
    case Mechanism::Rfa:
    case Mechanism::T2r:
    case Mechanism::Performer:
      return "features";
    default:
      return "";
  }
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
  std::string result = mechanism;
  if (slots) {
    result += slots->causal == slots->cross ? fmt::format("-k{}", slots->causal)
                                            : fmt::format("-k{}-{}", slots->causal, slots->cross);
  }
  if (heads) result += fmt::format("-heads{}", *heads);
  if (!keys.empty()) result += "-" + keys;
  return result;
}

std::vector<std::string> Variant::settings(const ModelConfig& base) const {
  const MechanismTraits& row = traits_named(mechanism);
  std::vector<std::string> result;
  if (!own) result.push_back("model.decoder.self=" + mechanism);
  if (!own && base.has_encoder())
    result.push_back("model.decoder.cross=" + (row.cross ? mechanism : "softmax"));
  if (slots) {
    const std::string_view option = size_option(row.mechanism);
    result.push_back(fmt::format("model.{}.causal_{}={}", mechanism, option, slots->causal));
    if (base.has_encoder())
      result.push_back(fmt::format("model.{}.cross_{}={}", mechanism, option, slots->cross));
  }
  if (heads) {
    result.push_back(fmt::format("model.{}.heads={}",
                                 row.mechanism == Mechanism::Memsizer ? "memsizer" : "decoder", *heads));
  }
  if (!keys.empty()) result.push_back("model.memsizer.keys=" + keys);
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
    const MechanismTraits& row = traits_named(mechanism);
    require_position(row.mechanism, Position::CausalSelf);
    const bool sized = !size_option(row.mechanism).empty();
    const bool keyed = row.mechanism == Mechanism::Memsizer;
    for (size_t s = 0; s < (sized ? slots.size() : 1); ++s) {
      for (const std::optional<int64_t>& head : heads) {
        for (size_t k = 0; k < (keyed ? keys.size() : 1); ++k)
          result.push_back({mechanism, sized ? slots[s] : std::nullopt, head, keyed ? keys[k] : "", false});
      }
    }
  }
  return result;
}

std::vector<Variant> variants_of(const VariantLists& lists, const ModelConfig& base) {
  if (!lists.mechanisms.empty()) return variants_of(lists);
  VariantLists own = lists;
  own.mechanisms.emplace_back(mechanism_name(base.decoder.self));
  std::vector<Variant> result = variants_of(own);
  for (Variant& variant : result) variant.own = true;
  return result;
}

}  // namespace memsizer
