#include "nn/token_counts.h"

namespace memsizer::nn {

using at::Tensor;

TokenCounts count_tokens(const Tensor& x, const Tensor& padding, const Tensor& before) {
  const int64_t time = x.size(0);
  TokenCounts counts{.before = before,
                     .positions = at::arange(1, time + 1, x.options().requires_grad(false)).unsqueeze(1),
                     .after = {},
                     .skipped = {}};
  if (padding.defined()) {
    counts.skipped = padding.logical_not().cumsum(1) == 0;
    if (before.defined()) counts.skipped = counts.skipped.logical_and((before == 0).unsqueeze(1));
    counts.positions = counts.skipped.logical_not().cumsum(1).t().to(x.scalar_type());
  }
  if (before.defined()) counts.positions = counts.positions + before.to(x.scalar_type());
  counts.after = counts.positions[time - 1].expand({x.size(1)}).to(at::kLong);
  return counts;
}

}  // namespace memsizer::nn
