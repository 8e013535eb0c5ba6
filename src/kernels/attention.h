#pragma once

#include <cstdint>

#include "kernels/matmul.h"

namespace memsizer::kernels {

// Softmax attention of some queries over the tokens of a cache. Token i's key is at
// keys + tokens[i] * stride, [heads, head_dim], its value likewise; without a list, tokens are 0, 1, 2, ...
// Query q sees the first `visible + q * visible_more` tokens: 1 more each in causal order, 0 otherwise.
struct AttentionTask {
  ConstRows queries;  // [count, heads * head_dim], scaled already
  int64_t count = 0;
  const float* keys = nullptr;
  const float* values = nullptr;
  int64_t stride = 0;
  const int32_t* tokens = nullptr;
  int64_t visible = 0;
  int64_t visible_more = 0;
  int64_t head_dim = 0;
  Rows out;  // [count, heads * head_dim]; every query sees at least one token

  int64_t most_visible() const { return visible + (count - 1) * visible_more; }
};

// Floats of scratch that `attention` needs.
int64_t attention_scratch(const AttentionTask& task);

// Computes heads [first_head, end_head). A query's result does not depend on the queries beside it.
void attention(const AttentionTask& task, int64_t first_head, int64_t end_head, float* scratch);

}  // namespace memsizer::kernels
