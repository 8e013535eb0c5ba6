#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/options.h"
#include "decode/generate.h"
#include "decode/step_model.h"

namespace memsizer::decode {

struct SamplingOptions {
  double temperature = 1.0;
  int64_t top_k = 0;
  double top_p = 1.0;
  double repetition_penalty = 1.0;
  int64_t no_repeat_ngram = 0;
  double max_length_ratio = 1.0;
  int64_t max_length = 100;
  int64_t min_length = 0;
  int64_t seed = 1;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("temperature", self.temperature, "logits are divided by this");
    visit("top_k", self.top_k, "draw from this many most likely tokens; 0 is all, 1 is greedy");
    visit("top_p", self.top_p, "draw from the most likely tokens that have this probability together");
    visit("repetition_penalty", self.repetition_penalty, "tokens already there become less likely; 1 is off");
    visit("no_repeat_ngram", self.no_repeat_ngram, "no n-gram of this length twice; 0 allows all");
    visit("max_length_ratio", self.max_length_ratio, "longest output: this times the source's length ...");
    visit("max_length", self.max_length, "... plus this many tokens");
    visit("min_length", self.min_length, "shortest output, without the end token");
    visit("seed", self.seed, "of the random numbers");
  }

  // Throws UserError; `prefix` is the section's name in messages.
  void validate(const std::string& prefix) const;
};

// The random numbers of a request come from (seed, stream) alone: give each its own stream, such as the
// number of its line, and it gets the same text in any batch.
struct SampleRequest : Request {
  uint64_t stream = 0;
};

enum class Finish {
  End,       // with an end token, the last of the tokens
  Length,    // as long as allowed, without an end token
  Stopped,   // by the callback
  NoTokens,  // the model gave no token any probability
};

struct Sample {
  std::vector<int32_t> tokens;  // the forced prefix included
  // Log-probability of each token where it was drawn, before top_k and top_p.
  std::vector<float> token_scores;
  Finish finish = Finish::Length;
};

// Told each token as it is drawn (forced ones are not drawn); false stops that request.
using OnToken = std::function<bool(size_t request, int32_t token)>;

// Draws one output for each request, from a model that starts with one row a request. What is left out for
// being unlikely is decided in the usual order: repetition penalty, temperature, top_k, then top_p.
std::vector<Sample> sample(StepModel& model, const std::vector<SampleRequest>& requests,
                           const SamplingOptions& options, int64_t max_positions = 0,
                           const OnToken& on_token = nullptr);

}  // namespace memsizer::decode
