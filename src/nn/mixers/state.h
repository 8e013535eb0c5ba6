#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// What a mixer carries from token to token, a value: copy it to fork a sequence, reorder it for beams. Batch
// comes first in every tensor; a mechanism leaves undefined what it does not use.
struct MixerState {
  at::Tensor
      memory;  // memsizer [batch, slots, dim]; kernels [batch, heads, features, head_dim]; ssru [batch, dim]
  at::Tensor normaliser;  // kernels [batch, heads, features]
  at::Tensor key_memory;  // memsizer with keys made from the input [batch, dim, heads * slots]
  at::Tensor count;       // memsizer: tokens seen [batch]
  at::Tensor keys;        // softmax [batch, heads, tokens, head_dim]
  at::Tensor values;      // softmax and synthesizer [batch, heads, tokens, head_dim]
  at::Tensor padding;     // softmax and synthesizer: [batch, tokens], if any token so far was padding

  // A state that shares no memory with this one.
  MixerState fork() const;

  // Row i of the new state is row order[i] of this one (beam search).
  void reorder(const at::Tensor& order);

  int64_t batch() const;
  int64_t bytes() const;
};

}  // namespace memsizer::nn
