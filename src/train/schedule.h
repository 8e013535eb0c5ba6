#pragma once

#include "train/recipe.h"

namespace memsizer::train {

// The learning rate of the update that follows `finished` ones (docs/mathematics.md, Schedules).
// `schedule.total_updates` and `schedule.period` must be known: see resolved().
double learning_rate(const ScheduleOptions& schedule, const OptimizerOptions& optimizer, int64_t finished);

// The schedule with what it takes from the length of the training filled in.
ScheduleOptions resolved(ScheduleOptions schedule, int64_t max_updates);

}  // namespace memsizer::train
