#include "core/weight_type.h"

#include <array>
#include <stdexcept>

namespace memsizer {

std::string_view weight_type_name(WeightType type) {
  switch (type) {
    case WeightType::F32:
      return "f32";
    case WeightType::BF16:
      return "bf16";
    case WeightType::I8:
      return "int8";
  }
  throw std::logic_error("unknown weight type");
}

std::optional<WeightType> parse_weight_type(std::string_view name) {
  for (const WeightType type : {WeightType::F32, WeightType::BF16, WeightType::I8}) {
    if (name == weight_type_name(type)) return type;
  }
  return std::nullopt;
}

DType stored_type(const TensorSpec& tensor, WeightType weights) {
  if (weights == WeightType::F32 || !tensor.quantized) return DType::F32;
  return weights == WeightType::BF16 ? DType::BF16 : DType::I8;
}

std::string scale_name(std::string_view name) {
  return std::string(name) + ".scale";
}

}  // namespace memsizer
