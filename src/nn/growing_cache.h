#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// Helpers of the mechanisms whose state is a growing cache of tokens.

// [batch, tokens] with `tokens` new columns appended; undefined stands for "no padding so far".
at::Tensor append_padding(const at::Tensor& seen, int64_t seen_tokens, const at::Tensor& added, int64_t batch,
                          int64_t added_tokens);

// [queries, keys], true where a key lies after its query; the last query sits at the last key.
at::Tensor future_mask(int64_t queries, int64_t keys, const at::TensorOptions& options);

// Large and negative, but finite: a row whose keys are all masked stays finite.
double masked_score(const at::Tensor& scores);

}  // namespace memsizer::nn
