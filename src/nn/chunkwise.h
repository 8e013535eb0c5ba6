#pragma once

#include "nn/linear_attention.h"

namespace memsizer::nn {

// Chunkwise causal linear attention on the CPU, in float or double, as one differentiable operation.
LinearAttentionOutput chunkwise_attention(const LinearAttentionInput& input, int64_t chunk);

}  // namespace memsizer::nn
