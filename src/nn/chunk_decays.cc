#include "nn/chunk_decays.h"

#include "nn/simd.h"

namespace memsizer::nn {
namespace {

template <typename T>
[[gnu::always_inline]] inline void decay_lower(MatrixView<T> weights, int64_t rows, const T* logs,
                                               int64_t stride, T* scratch) {
  for (int64_t i = 0; i < rows; ++i) scratch[i] = logs[i * stride];
  for (int64_t i = 0; i < rows; ++i) {
    T* row = weights.data + i * weights.stride;
    const T own = scratch[i];
#pragma omp simd
    for (int64_t j = 0; j <= i; ++j) row[j] *= fast_exp(own - scratch[j]);
  }
}

}  // namespace

ChunkDecays chunk_decays(const at::Tensor& log_decay, int64_t chunk) {
  if (!log_decay.defined()) return {};
  const int64_t time = log_decay.size(0);
  const int64_t groups = log_decay.size(1);
  const int64_t chunks = (time + chunk - 1) / chunk;
  const at::Tensor logs = at::constant_pad_nd(log_decay, {0, 0, 0, chunks * chunk - time})
                              .view({chunks, chunk, groups})
                              .cumsum(1);
  const at::Tensor last = logs.select(1, chunk - 1);  // padded rows add nothing
  const auto rows = [&](const at::Tensor& x) {
    return x.reshape({-1, groups}).slice(0, 0, time).contiguous();
  };
  return {rows(logs), rows(logs.exp()), rows((last.unsqueeze(1) - logs).exp()), last.exp().contiguous()};
}

MEMSIZER_SIMD_CLONES void decay_weights(MatrixView<float> weights, int64_t rows, const float* logs,
                                        int64_t stride, float* scratch) {
  decay_lower(weights, rows, logs, stride, scratch);
}

void decay_weights(MatrixView<double> weights, int64_t rows, const double* logs, int64_t stride,
                   double* scratch) {
  decay_lower(weights, rows, logs, stride, scratch);
}

}  // namespace memsizer::nn
