#pragma once

#include <torch/torch.h>

#include <vector>

#include "text/batches.h"

namespace memsizer::train {

// What one forward pass reads, as padded tensors [batch, time].
struct TokenBatch {
  at::Tensor source;   // padded on the left; undefined for a language model
  at::Tensor input;    // the targets shifted right by one
  at::Tensor targets;  // padded on the right; tokens that do not count are padding
  int64_t target_tokens = 0;
};

using Tokens = std::span<const int32_t>;

TokenBatch pair_batch(std::span<const Tokens> sources, std::span<const Tokens> targets);
TokenBatch on_device(TokenBatch batch, at::Device device);

TokenBatch pair_batch(const text::TokenCorpus& corpus, const text::Batch& examples);

// Sources alone, for generation.
at::Tensor source_batch(std::span<const Tokens> sources);
at::Tensor source_batch(const text::TokenCorpus& corpus, const text::Batch& examples);

// Stretches of a stream; the token before the very first is the end token.
TokenBatch stream_batch(std::span<const int32_t> stream, std::span<const text::StreamBlock> blocks);

}  // namespace memsizer::train
