#pragma once

#include <torch/torch.h>

#include "nn/mixer.h"

namespace memsizer::bench {

// The causal MemSizer layer as a plain transcription of the published training path: outer products for every
// token, [time, batch, slots, dim], multiplied by a [time, time] matrix. O(time^2 slots dim) work; the
// baseline of the benchmarks. Takes its weights from a MemSizer mixer, so that outputs can be compared.
at::Tensor quadratic_memsizer(const nn::Mixer& mixer, const at::Tensor& x);

}  // namespace memsizer::bench
