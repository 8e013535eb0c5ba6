#include "nn/growing_cache.h"

#include <limits>

namespace memsizer::nn {

at::Tensor append_padding(const at::Tensor& seen, int64_t seen_tokens, const at::Tensor& added, int64_t batch,
                          int64_t added_tokens) {
  if (!seen.defined() && !added.defined()) return {};
  const auto options = at::TensorOptions(at::kBool).device(seen.defined() ? seen.device() : added.device());
  return at::cat({seen.defined() ? seen : at::zeros({batch, seen_tokens}, options),
                  added.defined() ? added : at::zeros({batch, added_tokens}, options)},
                 1);
}

at::Tensor future_mask(int64_t queries, int64_t keys, const at::TensorOptions& options) {
  return at::ones({queries, keys}, options.dtype(at::kBool)).triu(keys - queries + 1);
}

double masked_score(const at::Tensor& scores) {
  return scores.scalar_type() == at::kHalf ? -65504.0
                                           : static_cast<double>(std::numeric_limits<float>::lowest());
}

}  // namespace memsizer::nn
