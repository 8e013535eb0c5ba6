#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// What each token brings to a causal MemSizer layer, from one joint projection of it.
struct MemsizerFactors {
  // Softmax over the slots, averaged over a group's heads; times the scale in groups that sum.
  at::Tensor address;  // [time, batch, groups * slots]
  // Layer norm over the slots in groups that sum, softmax in those that take means.
  at::Tensor left;   // [time, batch, groups * slots]
  at::Tensor right;  // layer norm of the right projection [time, batch, dim]
};

struct MemsizerFactorsInput {
  at::Tensor projected;  // [time, batch, heads * slots + groups * slots + dim]: logits, left, right
  int64_t groups = 1;
  int64_t mean_groups = 0;  // the last ones
  at::Tensor scale;         // [time, batch]
  at::Tensor mask;  // dropout factors of the softmax weights [time, batch, heads * slots], or undefined
  at::Tensor left_weight;   // of the layer norms [slots]
  at::Tensor left_bias;     // [slots]
  at::Tensor right_weight;  // [dim]
  at::Tensor right_bias;    // [dim]
};

// One pass over the projection forwards and one backwards, on the CPU in float or double: as separate
// operations this is a dozen passes, and a third of the layer's time.
MemsizerFactors memsizer_factors(const MemsizerFactorsInput& input);

// The same in plain tensor operations: the readable twin, and the path of every other device and type.
MemsizerFactors memsizer_factors_plain(const MemsizerFactorsInput& input);

}  // namespace memsizer::nn
