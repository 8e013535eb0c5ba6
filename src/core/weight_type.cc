#include "core/weight_type.h"

#include <algorithm>
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
  return weights == WeightType::BF16 ? DType::BF16 : DType::I8;
}

std::string scale_name(std::string_view name) {
  return std::string(name) + ".scale";
}

}  // namespace memsizer
