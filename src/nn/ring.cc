#include "nn/ring.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

// Row i of each batch row's result is row index[i] of it: x [batch, rows, dim], index [batch, rows].
Tensor gather_rows(const Tensor& x, const Tensor& index) {
  return x.gather(1, index.unsqueeze(2).expand({-1, -1, x.size(2)}));
}

}  // namespace

Tensor in_order(const Tensor& ring, const Tensor& count) {
  // The oldest token kept is number count - size, which is in row count modulo size.
  const int64_t size = ring.size(1);
  const Tensor index = (count.unsqueeze(1) + at::arange(size, count.options())).remainder(size);
  return gather_rows(ring, index).transpose(0, 1);
}

Tensor as_ring(const Tensor& tokens, int64_t size, const Tensor& count) {
  const Tensor newest = tokens.slice(0, tokens.size(0) - size).transpose(0, 1);
  const Tensor index = (at::arange(size, count.options()) - count.unsqueeze(1)).remainder(size);
  return gather_rows(newest, index).contiguous();
}

}  // namespace memsizer::nn
