#pragma once

#include <cstdint>
#include <string>

// The struct is part of the public interface, which includes nothing of ours.
#include "../../include/memsizer/generation_options.hpp"

namespace memsizer {

// No output is longer, whatever the options ask: a model that never ends its sentence must not fill the
// memory.
inline constexpr int64_t kLongestOutput = int64_t{1} << 20;

// Throws UserError; `prefix` is the section's name in messages.
void validate(const GenerationOptions& options, const std::string& prefix);

}  // namespace memsizer
