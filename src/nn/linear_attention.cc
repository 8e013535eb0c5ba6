#include "nn/linear_attention.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "nn/chunkwise.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

// Half precision accumulates in float32: the state grows with the length, and rounding would too.
LinearAttentionInput in_accumulation_type(LinearAttentionInput input) {
  const auto type = input.queries.scalar_type();
  if (type == at::kFloat || type == at::kDouble) return input;
  for (Tensor* tensor :
       {&input.queries, &input.keys, &input.values, &input.memory, &input.normaliser, &input.log_decay}) {
    if (tensor->defined()) *tensor = tensor->to(at::kFloat);
  }
  return input;
}

Tensor initial_memory(const LinearAttentionInput& input) {
  if (input.memory.defined()) return input.memory;
  return at::zeros({input.keys.size(1), input.keys.size(2), input.values.size(2)}, input.values.options());
}

Tensor initial_normaliser(const LinearAttentionInput& input) {
  if (input.normaliser.defined()) return input.normaliser;
  return at::zeros({input.keys.size(1), input.keys.size(2)}, input.keys.options());
}

// Sums of logarithms over time [..., time]. Over a long sequence they grow large, and what counts is their
// differences: double.
Tensor summed_logs(const Tensor& logs) {
  return logs.to(at::kDouble).cumsum(-1);
}

// exp(c_t - c_s) for s <= t, else 0: what is left at t of what was written at s. logs: c [..., time].
Tensor decay_between(const Tensor& logs) {
  const int64_t time = logs.size(-1);
  const Tensor later = at::ones({time, time}, logs.options().dtype(at::kBool)).triu(1);
  const Tensor between = logs.unsqueeze(-1) - logs.unsqueeze(-2);
  return between.masked_fill(later, -std::numeric_limits<double>::infinity()).exp();
}

// [time, groups, x] -> [groups, chunks, chunk, x], zero rows filling the last chunk.
Tensor to_blocks(const Tensor& x, int64_t chunk) {
  const int64_t time = x.size(0);
  const int64_t chunks = (time + chunk - 1) / chunk;
  const Tensor padded = at::constant_pad_nd(x, {0, 0, 0, 0, 0, chunks * chunk - time});
  return padded.view({chunks, chunk, x.size(1), x.size(2)}).permute({2, 0, 1, 3});
}

}  // namespace

LinearAttentionOutput linear_attention_parallel(const LinearAttentionInput& given) {
  const LinearAttentionInput input = in_accumulation_type(given);
  const Tensor queries = input.queries.transpose(0, 1);  // [groups, time, slots]
  const Tensor keys = input.keys.transpose(0, 1);
  const Tensor values = input.values.transpose(0, 1);
  Tensor weights = at::bmm(queries, keys.transpose(1, 2)).tril();
  Tensor queries_of_start = queries;
  Tensor keys_at_end = keys;
  Tensor start_at_end;  // what is left of the initial state [groups, 1]; undefined: all of it
  if (input.log_decay.defined()) {
    const Tensor logs = summed_logs(input.log_decay.t());  // [groups, time]
    const Tensor last = logs.select(1, logs.size(1) - 1).unsqueeze(1);
    const auto type = queries.scalar_type();
    weights = weights * decay_between(logs).to(type);
    queries_of_start = queries * logs.exp().to(type).unsqueeze(2);
    keys_at_end = keys * (last - logs).exp().to(type).unsqueeze(2);
    start_at_end = last.exp().to(type);
  }
  const auto end_of = [&](const Tensor& start, const Tensor& written) {
    if (!start_at_end.defined()) return start + written;
    return start * (start.dim() == 3 ? start_at_end.unsqueeze(2) : start_at_end) + written;
  };
  LinearAttentionOutput output;
  output.out = at::bmm(weights, values);
  if (input.memory.defined()) output.out = output.out + at::bmm(queries_of_start, input.memory);
  output.out = output.out.transpose(0, 1);
  if (input.with_norm) {
    output.norm = weights.sum(2);
    if (input.normaliser.defined())
      output.norm = output.norm + at::bmm(queries_of_start, input.normaliser.unsqueeze(2)).squeeze(2);
    output.norm = output.norm.t();
  }
  if (input.with_state) {
    output.memory = end_of(initial_memory(input), at::bmm(keys_at_end.transpose(1, 2), values));
    if (input.with_norm) output.normaliser = end_of(initial_normaliser(input), keys_at_end.sum(1));
  }
  return output;
}

LinearAttentionOutput linear_attention_recurrent(const LinearAttentionInput& given) {
  const LinearAttentionInput input = in_accumulation_type(given);
  Tensor memory = initial_memory(input);
  Tensor normaliser = input.with_norm ? initial_normaliser(input) : Tensor();
  std::vector<Tensor> out;
  std::vector<Tensor> norm;
  for (int64_t t = 0; t < input.queries.size(0); ++t) {
    const Tensor query = input.queries[t].unsqueeze(1);  // [groups, 1, slots]
    if (input.log_decay.defined()) {
      const Tensor decay = input.log_decay[t].exp().unsqueeze(1);  // [groups, 1]
      memory = memory * decay.unsqueeze(2);
      if (input.with_norm) normaliser = normaliser * decay;
    }
    memory = at::baddbmm(memory, input.keys[t].unsqueeze(2), input.values[t].unsqueeze(1));
    out.push_back(at::bmm(query, memory).squeeze(1));
    if (!input.with_norm) continue;
    normaliser = normaliser + input.keys[t];
    norm.push_back((input.queries[t] * normaliser).sum(1));
  }
  LinearAttentionOutput output{.out = at::stack(out), .norm = {}, .memory = {}, .normaliser = {}};
  if (input.with_norm) output.norm = at::stack(norm);
  if (input.with_state) {
    output.memory = memory;
    output.normaliser = normaliser;
  }
  return output;
}

LinearAttentionOutput linear_attention_blocks(const LinearAttentionInput& given, int64_t chunk) {
  const LinearAttentionInput input = in_accumulation_type(given);
  const int64_t time = input.queries.size(0);
  const int64_t groups = input.queries.size(1);
  const Tensor queries = to_blocks(input.queries, chunk);  // [groups, chunks, chunk, slots]
  const Tensor keys = to_blocks(input.keys, chunk);
  const Tensor values = to_blocks(input.values, chunk);
  const auto unblock = [&](const Tensor& x) {  // [groups, chunks, chunk, ...] -> [time, groups, ...]
    return x.flatten(1, 2).transpose(0, 1).slice(0, 0, time);
  };

  Tensor decay_in_chunk;             // [groups, chunks, chunk, chunk]
  Tensor carried_queries = queries;  // as the state before the chunk meets them
  Tensor carried_keys = keys;        // as much as is left of them after the chunk
  Tensor chunk_decay;                // [groups, chunks]
  if (input.log_decay.defined()) {
    const Tensor logs = summed_logs(to_blocks(input.log_decay.unsqueeze(2), chunk).squeeze(3));
    const Tensor last = logs.select(2, chunk - 1);
    const auto type = queries.scalar_type();
    decay_in_chunk = decay_between(logs).to(type);
    carried_queries = queries * logs.exp().to(type).unsqueeze(3);
    carried_keys = keys * (last.unsqueeze(2) - logs).exp().to(type).unsqueeze(3);
    chunk_decay = last.exp().to(type);
  }
  // states[n] is the state before chunk n; the last one is the final state.
  const auto states = [&](const Tensor& initial, const Tensor& sums) {
    if (!chunk_decay.defined()) return at::cat({initial.unsqueeze(1), sums}, 1).cumsum(1);
    std::vector<Tensor> all{initial};
    for (int64_t n = 0; n < sums.size(1); ++n) {
      const Tensor decay = chunk_decay.select(1, n).view({groups, 1});
      all.push_back(all.back() * (initial.dim() == 3 ? decay.unsqueeze(2) : decay) + sums.select(1, n));
    }
    return at::stack(all, 1);
  };
  const Tensor memories = states(initial_memory(input), at::matmul(carried_keys.transpose(2, 3), values));
  Tensor weights = at::matmul(queries, keys.transpose(2, 3)).tril();
  if (decay_in_chunk.defined()) weights = weights * decay_in_chunk;
  const int64_t chunks = queries.size(1);
  LinearAttentionOutput output;
  output.out =
      unblock(at::matmul(weights, values) + at::matmul(carried_queries, memories.slice(1, 0, chunks)));
  if (input.with_state) output.memory = memories.select(1, chunks);
  if (input.with_norm) {
    const Tensor normalisers = states(initial_normaliser(input), carried_keys.sum(2));
    const Tensor carried =
        at::matmul(carried_queries, normalisers.slice(1, 0, chunks).unsqueeze(3)).squeeze(3);
    output.norm = unblock((weights.sum(3) + carried).view({groups, chunks, chunk}));
    if (input.with_state) output.normaliser = normalisers.select(1, chunks);
  }
  return output;
}

LinearAttentionOutput linear_attention_chunkwise(const LinearAttentionInput& given, int64_t chunk) {
  return chunkwise_attention(in_accumulation_type(given), chunk);
}

int64_t chunk_length(int64_t slots) {
  // Shorter chunks do less work inside the triangle but keep more states. Neither length was the fastest
  // everywhere; both cost a MemSizer layer at most 4% over the best one tried.
  return slots <= 64 ? 64 : 96;
}

LinearAttentionOutput linear_attention(const LinearAttentionInput& input) {
  const int64_t time = input.queries.size(0);
  const int64_t slots = input.queries.size(2);
  const int64_t dim = input.values.size(2);
  // A short sequence whose states are large against it is cheaper as one square.
  const bool plain = time <= 128 && slots >= 64 && dim >= 256;
  if (plain) return linear_attention_parallel(input);
  const int64_t chunk = std::min(time, chunk_length(slots));
  return input.queries.is_cpu() ? linear_attention_chunkwise(input, chunk)
                                : linear_attention_blocks(input, chunk);
}

}  // namespace memsizer::nn
