#pragma once

#include "train/training_data.h"

namespace memsizer::train {

// Whether the model's positions have room for what a run reads. Training data that would stop the run at some
// later update are a UserError, as are sets of which nothing could be scored. What is truncated or left out
// of the scores is told, one line per set and side.
void check_sequence_lengths(const Recipe& recipe, const TrainingData& data, const Note& note);

}  // namespace memsizer::train
