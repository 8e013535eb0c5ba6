#include "train/sequence_lengths.h"

#include <algorithm>

#include "core/error.h"

namespace memsizer::train {
namespace {

constexpr auto kRoom =
    "raise model.embedding.max_positions where positions are learned, or choose mixers of any length";

void require_training_pairs(const Recipe& recipe, const text::TokenCorpus& corpus) {
  struct Side {
    const char* name;
    int64_t longest;
    std::span<const int32_t> (text::TokenCorpus::*tokens)(int64_t) const;
  };
  for (const Side& side : {Side{"source", longest_source(recipe.model), &text::TokenCorpus::source},
                           Side{"target", longest_target(recipe.model), &text::TokenCorpus::target}}) {
    for (int64_t i = 0; side.longest > 0 && i < corpus.size(); ++i) {
      const auto length = static_cast<int64_t>((corpus.*side.tokens)(i).size());
      if (length <= side.longest) continue;
      throw UserError(
          "line {} of the training data has a {} of {} tokens, but the model reads at most {}; set "
          "data.max_{}_tokens={}, or {}",
          corpus.line(i), side.name, length, side.longest, side.name, side.longest, kRoom);
    }
  }
}

void tell_pairs(const std::string& name, const Recipe& recipe, const EvaluationSet& set, const Note& note) {
  const int64_t source_positions = longest_source(recipe.model);
  const int64_t most_source = source_positions > 0 ? std::min(source_positions, recipe.data.max_source_tokens)
                                                   : recipe.data.max_source_tokens;
  const int64_t most_target = longest_target(recipe.model);
  int64_t truncated = 0;
  int64_t left_out = 0;
  for (int64_t i = 0; i < set.corpus.size(); ++i) {
    truncated += static_cast<int64_t>(set.corpus.source(i).size()) > most_source ? 1 : 0;
    left_out += most_target > 0 && static_cast<int64_t>(set.corpus.target(i).size()) > most_target ? 1 : 0;
  }
  if (left_out == set.corpus.size()) {
    throw UserError("every reference of data.{} is longer than the {} tokens that the model can write; {}",
                    name, most_target, kRoom);
  }
  if (truncated > 0)
    note(fmt::format("{}: {} of {} sources are longer than {} tokens and truncated", name, truncated,
                     set.corpus.size(), most_source));
  if (left_out > 0)
    note(fmt::format("{}: {} of {} references are longer than {} tokens and left out of the perplexity", name,
                     left_out, set.corpus.size(), most_target));
}

void require_windows(const Recipe& recipe, const TrainingData& data) {
  const int64_t longest = longest_target(recipe.model);
  const auto require = [&](const char* option, int64_t tokens) {
    if (longest == 0 || tokens <= longest) return;
    throw UserError("{} is {}, but the model reads at most {} tokens; set {}={}, or {}", option, tokens,
                    longest, option, longest, kRoom);
  };
  const auto text = static_cast<int64_t>(data.train.stream().size());
  require("training.block_tokens", std::min(recipe.training.block_tokens, text));
  if (data.valid || data.test) require("validation.window", recipe.validation.window);
}

}  // namespace

void check_sequence_lengths(const Recipe& recipe, const TrainingData& data, const Note& note) {
  if (recipe.is_language_model()) return require_windows(recipe, data);
  require_training_pairs(recipe, data.train);
  if (data.valid) tell_pairs("valid", recipe, *data.valid, note);
  if (data.test) tell_pairs("test", recipe, *data.test, note);
}

}  // namespace memsizer::train
