#pragma once

#include <torch/torch.h>

#include "nn/gemm.h"

namespace memsizer::nn {

// How a state that decays does so within each chunk; all undefined for one that does not. c_i is the sum of
// the logarithms of the factors from the chunk's first row to row i, c the last of them.
struct ChunkDecays {
  at::Tensor logs;   // c_i [time, groups]
  at::Tensor into;   // exp(c_i): of the state before the chunk, at each row [time, groups]
  at::Tensor after;  // exp(c - c_i): of each row's write, at the chunk's end [time, groups]
  at::Tensor whole;  // exp(c) [chunks, groups]

  bool defined() const { return logs.defined(); }
};

// log_decay [time, groups], or undefined.
ChunkDecays chunk_decays(const at::Tensor& log_decay, int64_t chunk);

// weights[i, j] *= exp(c_i - c_j) for j <= i. Element i of `logs` is at i * stride; scratch has room for
// `rows`.
void decay_weights(MatrixView<float> weights, int64_t rows, const float* logs, int64_t stride,
                   float* scratch);
void decay_weights(MatrixView<double> weights, int64_t rows, const double* logs, int64_t stride,
                   double* scratch);

}  // namespace memsizer::nn
