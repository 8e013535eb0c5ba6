#include "core/weight_type.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace memsizer {

template <>
std::span<const std::pair<WeightType, std::string_view>> enum_names<WeightType>() {
  static constexpr auto names = std::to_array<std::pair<WeightType, std::string_view>>(
      {{WeightType::F32, "f32"}, {WeightType::Bf16, "bf16"}, {WeightType::Int8, "int8"}});
  return names;
}

std::string_view weight_type_name(WeightType type) {
  for (const auto& [value, name] : enum_names<WeightType>()) {
    if (value == type) return name;
  }
  throw std::logic_error("unknown weight type");
}

bool is_quantized(std::string_view name) {
  constexpr std::string_view kWeight = ".weight";
  if (!name.ends_with(kWeight)) return false;
  // Bands of adaptive input and softmax are numbered, not named.
  if (name.find(".embed_tokens.embeddings.") != std::string_view::npos) return true;
  if (name.find(".adaptive_softmax.") != std::string_view::npos) return true;
  name.remove_suffix(kWeight.size());
  const std::string_view module = name.substr(name.rfind('.') + 1);
  constexpr std::array<std::string_view, 8> kMatrices = {
      "fc1", "fc2", "linear1", "linear2", "linear_v", "linear_out", "output_projection", "embed_tokens"};
  return module.ends_with("_proj") || std::ranges::find(kMatrices, module) != kMatrices.end();
}

DType stored_type(std::string_view name, WeightType weights) {
  if (weights == WeightType::F32 || !is_quantized(name)) return DType::F32;
  return weights == WeightType::Bf16 ? DType::BF16 : DType::I8;
}

std::string scale_name(std::string_view name) {
  return std::string(name) + ".scale";
}

}  // namespace memsizer
