#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// What each token brings to a causal MemSizer layer, from one joint projection of it.
struct MemsizerFactors {
  at::Tensor
      address;       // softmax over the slots, averaged over the heads, times the scale [time, batch, slots]
  at::Tensor left;   // layer norm of the left projection [time, batch, slots]
  at::Tensor right;  // layer norm of the right projection [time, batch, dim]
};

struct MemsizerFactorsInput {
  at::Tensor projected;  // [time, batch, heads * slots + slots + dim]: logits, left, right
  at::Tensor scale;      // [time, batch]
  at::Tensor mask;       // dropout factors of the softmax weights [time, batch, heads * slots], or undefined
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
