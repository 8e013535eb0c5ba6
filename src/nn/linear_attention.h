#pragma once

#include <torch/torch.h>

// Causal linear attention, the one computation under MemSizer and under every linear kernel:
//
//   memory_t     = memory_0     + sum over s <= t of keys_s (x) values_s      [slots, dim]
//   normaliser_t = normaliser_0 + sum over s <= t of keys_s                   [slots]
//   out_t  = queries_t . memory_t
//   norm_t = queries_t . normaliser_t
//
// With `log_decay`, each state is multiplied by exp(log_decay_t) before it is written: forgetting.
// All of it for each of `groups` independent sequences (batch rows, or batch rows times heads). Scales such
// as MemSizer's 1/sqrt(t) are folded into the queries by the caller.
//
// Three forms with one signature that agree in outputs, final state and gradients; `linear_attention` picks
// by cost.
namespace memsizer::nn {

struct LinearAttentionInput {
  at::Tensor queries;         // [time, groups, slots]
  at::Tensor keys;            // [time, groups, slots]
  at::Tensor values;          // [time, groups, dim]
  at::Tensor memory;          // initial state [groups, slots, dim], or undefined for zeros
  at::Tensor normaliser;      // initial state [groups, slots], or undefined for zeros
  at::Tensor log_decay = {};  // at most 0 [time, groups], or undefined for none
  bool with_norm = false;
  bool with_state = false;  // return the final state
};

struct LinearAttentionOutput {
  at::Tensor out;         // [time, groups, dim]
  at::Tensor norm;        // [time, groups], if with_norm
  at::Tensor memory;      // final state, if with_state
  at::Tensor normaliser;  // final state, if with_state and with_norm
};

LinearAttentionOutput linear_attention(const LinearAttentionInput& input);

// One masked [time, time] product for each group: the plain transcription, quadratic in time.
LinearAttentionOutput linear_attention_parallel(const LinearAttentionInput& input);

// One token after the other: the decoding recurrence.
LinearAttentionOutput linear_attention_recurrent(const LinearAttentionInput& input);

// Exact, linear in time, with a hand-derived backward; stores one state for each chunk, never one for each
// token.
LinearAttentionOutput linear_attention_chunkwise(const LinearAttentionInput& input, int64_t chunk);

// The same blocks in plain tensor operations, for devices without a kernel of our own.
LinearAttentionOutput linear_attention_blocks(const LinearAttentionInput& input, int64_t chunk);

// The chunk length for this many slots.
int64_t chunk_length(int64_t slots);

}  // namespace memsizer::nn
