#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace memsizer {

// Element types of stored tensors, named as in the safetensors format.
enum class DType { Bool, U8, I8, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64 };

size_t dtype_bytes(DType dtype);

// "BOOL", "U8", ..., "F64".
std::string_view dtype_name(DType dtype);

// The inverse of dtype_name; names are case-sensitive.
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace memsizer
