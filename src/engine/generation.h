#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "decode/generation.h"
#include "engine/text_model.h"

namespace memsizer::engine {

// A model's own options: those of the recipe it was trained with. A language model draws, and goes on for as
// long as it is told, since there is no source to measure by.
GenerationOptions default_options(const ModelDescription& description);

// Throws UserError if the options are not sound, or ask for a shortlist that the model does not have.
void check_options(const TextModel& model, const GenerationOptions& options);

// A source's tokens, truncated to what the options and the model's positions allow; the end token stays.
std::vector<int32_t> cut_source(const TextModel& model, const GenerationOptions& options,
                                std::vector<int32_t> tokens);

// A state of one row, to go on from, and what is to be read first: at least one token.
struct SavedState {
  runtime::DecoderState state;
  std::vector<int32_t> tokens;
};

// Told the text as it comes, in pieces that never cut through a character: tokens as they are drawn, the
// outcome of a search when it is found. False stops the request there.
using OnText = std::function<bool(std::string_view piece)>;

struct Request {
  // What the text is for: a source, or a prompt to go on from, as text or as tokens (a source's with their
  // end token); or a state.
  std::variant<std::string, std::vector<int32_t>, SavedState> input;
  GenerationOptions options;
  uint64_t stream = 0;       // of random numbers: the number of the line
  int64_t alternatives = 0;  // drawing: this many likeliest tokens beside each one
  // A language model reads the prompt, and its state is the result: no text is generated.
  bool read_only = false;
  // False: text that on_text was told is let go, so that a text of any length takes no memory.
  bool keep_text = true;
  // Both are called from the generator's threads, which they should not hold up: other requests wait
  // meanwhile.
  OnText on_text;                 // null: only the whole result is wanted
  std::function<void()> on_done;  // the result is ready; must not throw
};

struct Output {
  std::string text;
  double score = 0.0;  // log-probability, divided by a power of the length in a search
  std::vector<int32_t> tokens;
  std::vector<float> token_scores;
  std::vector<std::vector<decode::Alternative>> alternatives = {};  // of each token, if they were asked for
  decode::Finish finish = decode::Finish::End;
  int64_t forgotten = 0;  // tokens before these, which were not kept
};

struct Result {
  std::vector<Output> outputs;                     // best first
  int64_t source_tokens = 0;                       // before any truncation
  int64_t tokens_read = 0;                         // fewer where the source was truncated
  bool stopped = false;                            // by its callback or by cancel, before it was done
  std::optional<SavedState> state = std::nullopt;  // of a request that only reads
  std::string shortfall = {};  // why there is less than was asked for, in one line; empty if not
};

}  // namespace memsizer::engine
