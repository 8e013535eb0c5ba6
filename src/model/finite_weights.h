#pragma once

#include <filesystem>

#include "core/safetensors.h"

namespace memsizer {

// Throws UserError if a tensor of floating-point numbers holds one that is NaN or infinite: a model of such
// weights writes nothing but blank lines. `file` opens the message.
void require_finite(const NamedTensor& tensor, const std::filesystem::path& file);

}  // namespace memsizer
