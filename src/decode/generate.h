#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"
#include "decode/step_model.h"

namespace memsizer::decode {

struct GenerationOptions {
  int64_t beam = 5;
  int64_t n_best = 1;
  double length_penalty = 1.0;
  bool normalize_scores = true;
  double max_length_ratio = 1.2;
  int64_t max_length = 10;
  int64_t min_length = 1;
  int64_t no_repeat_ngram = 0;
  double unk_penalty = 0.0;
  double temperature = 1.0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("beam", self.beam, "hypotheses kept a sentence; 1 is greedy");
    visit("n_best", self.n_best, "hypotheses given back, at most the beam");
    visit("length_penalty", self.length_penalty, "scores are divided by length to this power");
    visit("normalize_scores", self.normalize_scores, "divide by length at all");
    visit("max_length_ratio", self.max_length_ratio, "longest output: this times the source's length ...");
    visit("max_length", self.max_length, "... plus this many tokens");
    visit("min_length", self.min_length, "shortest output, without the end token");
    visit("no_repeat_ngram", self.no_repeat_ngram, "no n-gram of this length twice; 0 allows all");
    visit("unk_penalty", self.unk_penalty, "taken from the score of an unknown word");
    visit("temperature", self.temperature, "logits are divided by this");
  }

  // Throws UserError; `prefix` is the section's name in messages.
  void validate(const std::string& prefix) const;
};

struct Hypothesis {
  std::vector<int32_t> tokens;      // end token included
  double score = 0.0;               // length-normalised if the options say so
  std::vector<float> token_scores;  // log-probability of each token
};

// One sentence's search: the length of its source sets the longest output; a forced prefix may be empty.
struct Request {
  int64_t source_length = 0;  // tokens, end token included
  std::vector<int32_t> prefix;
};

// Beam search with fairseq's semantics (spec section 8), for a model that starts with one row a request.
// Best hypotheses first. max_positions bounds the output of models with learned positions; 0 is no bound.
// A sentence for which the model gives no output any probability (all NaN or -inf) has no hypothesis.
std::vector<std::vector<Hypothesis>> generate(StepModel& model, const std::vector<Request>& requests,
                                              const GenerationOptions& options, int64_t max_positions = 0);

}  // namespace memsizer::decode
