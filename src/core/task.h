#pragma once

#include <string_view>

#include "model/model_config.h"

namespace memsizer {

// What a model is for. Recipes and model files name it; it decides which texts are read, how a model is
// evaluated and which command generates with it.
enum class Task { Translation, Summarization, LanguageModel };

template <>
std::span<const std::pair<Task, std::string_view>> enum_names<Task>();

// The task of a model that says nothing of it.
Task task_of(Architecture architecture);

// The task that a model file names. One that names none, an unknown one, or one that its architecture cannot
// do is for what its architecture is for: the first programs wrote any word.
Task task_of(Architecture architecture, std::string_view name);

}  // namespace memsizer
