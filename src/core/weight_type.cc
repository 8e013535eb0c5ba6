#include "core/weight_type.h"

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

DType stored_type(const TensorSpec& tensor, WeightType weights) {
  if (weights == WeightType::F32 || !tensor.quantized) return DType::F32;
  return weights == WeightType::Bf16 ? DType::BF16 : DType::I8;
}

std::string scale_name(std::string_view name) {
  return std::string(name) + ".scale";
}

}  // namespace memsizer
