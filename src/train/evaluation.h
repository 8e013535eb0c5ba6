#pragma once

#include <vector>

#include "evaluate/evaluation.h"
#include "report/training_report.h"
#include "train/recipe.h"
#include "train/task_model.h"
#include "train/training_data.h"

namespace memsizer::train {

using evaluate::Evaluation;

// What the model in training reaches on a set, by the protocol of src/evaluate: loss and perplexity; for
// pairs also text generated for the first `sentences` (0: all), scored.
Evaluation evaluate(TaskModel& model, const EvaluationSet& set, const TrainingData& data,
                    const Recipe& recipe, int64_t sentences, int64_t beam);

// The first outputs beside their sources and references.
std::vector<report::SampleOutput> samples_of(const Evaluation& evaluation, const EvaluationSet& set,
                                             int64_t count);

}  // namespace memsizer::train
