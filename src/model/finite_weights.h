#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "core/safetensors.h"

namespace memsizer {

// Throws UserError, which names the file and the tensor, if one of its numbers is NaN or infinite: a model of
// such weights writes nothing but blank lines. Types that have no such numbers always pass.
void require_finite(const std::filesystem::path& file, std::string_view name, DType type,
                    std::span<const std::byte> data);

// The same for all tensors of a file.
void require_finite(const SafetensorsFile& file);

}  // namespace memsizer
