#pragma once

#include <functional>
#include <string_view>

#include "engine/generation.h"

namespace memsizer::engine {

// Draws text for one line and hands it over as it comes, in pieces that never cut through a character; false
// stops it. `stream` is that of the random numbers.
void stream_text(const TextModel& model, runtime::Work& work, const GenerationSettings& settings,
                 std::string_view line, uint64_t stream,
                 const std::function<bool(std::string_view piece)>& on_text);

}  // namespace memsizer::engine
