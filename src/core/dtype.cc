#include "core/dtype.h"

#include <array>

namespace memsizer {
namespace {

struct DTypeInfo {
  std::string_view name;
  size_t bytes;
};

// In the order of the enumeration.
constexpr std::array<DTypeInfo, 13> kDTypes = {{{"BOOL", 1},
                                                {"U8", 1},
                                                {"I8", 1},
                                                {"U16", 2},
                                                {"I16", 2},
                                                {"F16", 2},
                                                {"BF16", 2},
                                                {"U32", 4},
                                                {"I32", 4},
                                                {"F32", 4},
                                                {"U64", 8},
                                                {"I64", 8},
                                                {"F64", 8}}};

static_assert(kDTypes.size() == static_cast<size_t>(DType::F64) + 1);

}  // namespace

size_t dtype_bytes(DType dtype) {
  return kDTypes.at(static_cast<size_t>(dtype)).bytes;
}

std::string_view dtype_name(DType dtype) {
  return kDTypes.at(static_cast<size_t>(dtype)).name;
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace memsizer
