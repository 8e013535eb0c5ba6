#pragma once

#include <cstdint>

#include "train/recipe.h"
#include "train/run_folder.h"
#include "train/trainer_state.h"

namespace memsizer::train {

struct TrainingResult;

// results.json (for scripts) and report.html (for people), made from the run's metrics.jsonl.
void write_results(const RunFolder& folder, const TrainingResult& result, const Recipe& recipe,
                   int64_t parameters, const TrainerState& state);

}  // namespace memsizer::train
