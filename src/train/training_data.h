#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model_file.h"
#include "text/token_corpus.h"
#include "text/tokenizer.h"
#include "train/recipe.h"
#include "train/run_folder.h"

namespace memsizer::train {

// A corpus to score on, with its text.
struct EvaluationSet {
  text::TokenCorpus corpus;
  std::vector<std::string> sources;
  std::vector<std::string> references;
};

// Everything a run reads.
struct TrainingData {
  std::unique_ptr<text::Tokenizer> tokenizer;         // of the target, or of both sides
  std::unique_ptr<text::Tokenizer> source_tokenizer;  // null: one for both
  text::TokenCorpus train;
  std::optional<EvaluationSet> valid;
  std::optional<EvaluationSet> test;

  const text::Tokenizer& source_side() const { return source_tokenizer ? *source_tokenizer : *tokenizer; }
};

using Note = std::function<void(const std::string& line)>;

// Loads the tokenizers the recipe names, or takes those of `model`, or trains them without one, and stores
// them in `folder`, from where they are taken if `stored` says so; then opens the corpora, tokenised once.
// What was found in the data is told line by line.
TrainingData open_training_data(const Recipe& recipe, const RunFolder& folder, bool stored,
                                const ModelDescription* model, const Note& note);

}  // namespace memsizer::train
