#pragma once

#include <string_view>

#include "core/options.h"

namespace memsizer {

// What a model is for. Recipes and model files name it; it decides which texts are read, how a model is
// evaluated and which command generates with it.
enum class Task { Translation, Summarization, LanguageModel };

template <>
std::span<const std::pair<Task, std::string_view>> enum_names<Task>();

}  // namespace memsizer
