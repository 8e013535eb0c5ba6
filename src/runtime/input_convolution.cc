#include "runtime/input_convolution.h"

#include "kernels/memory.h"
#include "runtime/columns.h"

namespace memsizer::runtime {

InputConvolution::InputConvolution(int64_t dim, int64_t taps, const Weights& weights)
    : dim_(dim), taps_(taps) {
  // A file has them per channel, the oldest token's first.
  const std::vector<float> stored = weights.floats("convolution.weight");
  weight_.resize(stored.size());
  for (int64_t c = 0; c < dim_; ++c) {
    for (int64_t i = 0; i < taps_; ++i) weight_[i * dim_ + c] = stored[c * taps_ + taps_ - 1 - i];
  }
}

void InputConvolution::apply(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
                             int64_t ring_at, Rows out) const {
  const int64_t ranges = column_ranges(work, rows.sequences(), dim_);
  const int64_t numbers_a_row = taps_ * dim_ * rows.tokens() / rows.sequences();
  split_rows(work, rows.sequences() * ranges, numbers_a_row / ranges, [&](int64_t item) {
    const int64_t r = item / ranges;
    const auto [first, last] = columns_of(item % ranges, ranges, dim_);
    for (int64_t token = rows.begin(r); token < rows.end(r); ++token) {
      kernels::convolution_step(x.data + token * x.stride + first, weight_.data() + first, taps_,
                                states.seen[r] + token - rows.begin(r), last - first,
                                states.row(r) + ring_at + first, dim_, out.data + token * out.stride + first);
    }
  });
}

}  // namespace memsizer::runtime
