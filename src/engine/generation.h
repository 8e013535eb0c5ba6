#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decode/generate.h"
#include "decode/sampler.h"
#include "engine/text_model.h"

namespace memsizer::engine {

// How text is generated: by a search for the likeliest output, or by drawing at random.
struct GenerationSettings {
  bool sample = false;
  decode::GenerationOptions search;
  decode::SamplingOptions sampling;
  int64_t max_source_tokens = 1024;  // longer sources are cut

  // A model's own settings: those of the recipe it was trained with.
  static GenerationSettings of(const ModelDescription& description);

  void validate() const;
};

struct Output {
  std::string text;
  double score = 0.0;  // log-probability, divided by a power of the length in a search
  std::vector<int32_t> tokens;
  std::vector<float> token_scores;
};

struct Result {
  std::vector<Output> outputs;  // best first
  int64_t source_tokens = 0;    // before any cutting
  int64_t tokens_read = 0;      // fewer where the source was cut
};

// One piece of text to read: a source, or a prompt to go on from.
struct Input {
  std::vector<int32_t> tokens;
  uint64_t stream = 0;  // of random numbers: the number of its line
};

// Told the text generated so far for an input; false stops it there. Only for sampling.
using OnText = std::function<bool(size_t input, int32_t token)>;

// A source's tokens, cut to what the settings and the model's positions allow; the end token stays.
std::vector<int32_t> cut_source(const TextModel& model, const GenerationSettings& settings,
                                std::vector<int32_t> tokens);

// Generates for all inputs at once. An input's result does not depend on the others.
std::vector<Result> generate(const TextModel& model, runtime::Work& work, const std::vector<Input>& inputs,
                             const GenerationSettings& settings, const OnText& on_text = nullptr);

}  // namespace memsizer::engine
