#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "text/token_corpus.h"

namespace memsizer::text {

struct BatchOptions {
  int64_t max_tokens = 4096;  // padded tokens of the larger side of a batch
  int64_t max_sentences = 0;  // 0: no limit
  int64_t window = 0;         // examples that are length-sorted together; 0: the whole corpus
  uint64_t seed = 1;
};

// Indices of examples that are padded and computed together.
using Batch = std::vector<int64_t>;

// The batches of one epoch: examples shuffled, sorted by length inside each window, cut by the token budget,
// and the batches shuffled. The same for the same lengths, options and epoch on any machine. A single
// example larger than the budget is a batch of its own.
// length(i) is the pair of source and target length of example i.
std::vector<Batch> epoch_batches(int64_t examples,
                                 const std::function<std::pair<int64_t, int64_t>(int64_t)>& length,
                                 const BatchOptions& options, int64_t epoch);

// For validation: every example once, longest first, not shuffled.
std::vector<Batch> evaluation_batches(int64_t examples,
                                      const std::function<std::pair<int64_t, int64_t>(int64_t)>& length,
                                      const BatchOptions& options);

// A stretch of a language model's stream (docs/mathematics.md, Blocks and windows): targets stream[begin,
// end), of which only the last end - score_from count; the inputs are the targets shifted right by one.
struct StreamBlock {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t score_from = 0;
};

// Consecutive blocks of `tokens` targets for training, the last one shorter.
std::vector<StreamBlock> training_blocks(int64_t stream_tokens, int64_t tokens);

// Windows of at most `tokens` with `context` tokens of context; every token is scored exactly once.
std::vector<StreamBlock> evaluation_blocks(int64_t stream_tokens, int64_t tokens, int64_t context);

}  // namespace memsizer::text
