#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "train/recipe.h"
#include "train/trainer_state.h"

namespace memsizer::train {

struct TrainingResult;

// results.json (for scripts) and report.html (for people), made from the run's metrics.jsonl.
void write_results(const std::filesystem::path& folder, const TrainingResult& result, const Recipe& recipe,
                   int64_t parameters, const TrainerState& state);

// One line's worth of a text, for a terminal.
std::string excerpt(const std::string& text);

}  // namespace memsizer::train
