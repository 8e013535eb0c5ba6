// How text is generated: the one set of options of recipes, model files, programs and the library.
#pragma once

#include <cstdint>

namespace memsizer {

struct GenerationOptions {
  bool sample = false;
  // Of a search for the likeliest text.
  int64_t beam = 5;
  int64_t n_best = 1;
  double length_penalty = 1.0;
  bool normalize_scores = true;
  double unk_penalty = 0.0;
  // Of drawing at random; the temperature of both.
  double temperature = 1.0;
  int64_t top_k = 0;
  double top_p = 1.0;
  double repetition_penalty = 1.0;
  int64_t seed = 1;
  // Of both.
  double max_length_ratio = 1.2;
  int64_t max_length = 10;
  int64_t min_length = 1;
  int64_t no_repeat_ngram = 0;
  int64_t max_source_tokens = 1024;
  bool shortlist = false;

  // Calls visit(name, field, help) for each of them.
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("sample", self.sample, "draw at random instead of searching for the likeliest text");
    visit("beam", self.beam, "search: hypotheses kept per sentence; 1 is greedy");
    visit("n_best", self.n_best, "search: hypotheses given back, at most the beam");
    visit("length_penalty", self.length_penalty, "search: scores are divided by length to this power");
    visit("normalize_scores", self.normalize_scores, "search: divide by length at all");
    visit("unk_penalty", self.unk_penalty, "search: taken from the score of an unknown word");
    visit("temperature", self.temperature, "logits are divided by this");
    visit("top_k", self.top_k, "drawing: from this many most likely tokens; 0 is all, 1 is greedy");
    visit("top_p", self.top_p, "drawing: from the most likely tokens that have this probability together");
    visit("repetition_penalty", self.repetition_penalty,
          "drawing: tokens of the text so far become less likely; 1 is off");
    visit("seed", self.seed, "drawing: of the random numbers");
    visit("max_length_ratio", self.max_length_ratio, "longest output: this times the source's length ...");
    visit("max_length", self.max_length, "... plus this many tokens");
    visit("min_length", self.min_length, "shortest output, without the end token");
    visit("no_repeat_ngram", self.no_repeat_ngram, "no n-gram of this length twice; 0 allows all");
    visit("max_source_tokens", self.max_source_tokens, "longer sources are truncated");
    visit("shortlist", self.shortlist,
          "choose among the tokens that the model's shortlist has for the source");
  }

  bool operator==(const GenerationOptions&) const = default;
};

}  // namespace memsizer
