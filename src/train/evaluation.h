#pragma once

#include <string>
#include <vector>

#include "report/training_report.h"
#include "train/recipe.h"
#include "train/task_model.h"
#include "train/training_data.h"

namespace memsizer::train {

// What a model reaches on a set. Scores are named as reports show them: "bleu", "chrf", "rouge1", ...
struct Evaluation {
  double nll = 0.0;  // a token, without label smoothing
  double perplexity = 0.0;
  int64_t tokens = 0;
  std::vector<std::pair<std::string, double>> scores;
  std::vector<std::string> outputs;  // generated text, in the order of the set
  double generation_seconds = 0.0;
  int64_t generated_tokens = 0;

  // The number the recipe's metric asks for, larger being better.
  double quality(ValidationMetric metric) const;
};

// Loss and perplexity; for pairs also text generated for the first `sentences` (0: all), scored.
Evaluation evaluate(TaskModel& model, const EvaluationSet& set, const TrainingData& data,
                    const Recipe& recipe, int64_t sentences, int64_t beam);

// Generates for the first `sentences` of a set (0: all) and returns the outputs in its order.
std::vector<std::string> generate_text(TaskModel& model, const text::TokenCorpus& corpus,
                                       const text::Tokenizer& tokenizer, const Recipe& recipe,
                                       int64_t sentences, int64_t beam, int64_t* generated_tokens = nullptr);

// The first outputs beside their sources and references.
std::vector<report::SampleOutput> samples_of(const Evaluation& evaluation, const EvaluationSet& set,
                                             int64_t count);

}  // namespace memsizer::train
