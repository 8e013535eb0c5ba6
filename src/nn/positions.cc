#include "nn/positions.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

Tensor position_ids(const Tensor& tokens, const Tensor& seen) {
  const Tensor real = tokens.ne(kPad).to(at::kLong);
  Tensor count = real.cumsum(1);
  if (seen.defined()) count = count + seen.unsqueeze(1);
  return count * real + kPad;
}

Tensor sinusoidal_table(int64_t rows, int64_t dim, const at::TensorOptions& options) {
  const int64_t half = dim / 2;
  // In double, then rounded: float angles would be off by 1e-4 at row 10000.
  const auto exact = at::TensorOptions(at::kDouble);
  const Tensor frequencies =
      (at::arange(half, exact) * (-std::log(10000.0) / static_cast<double>(half - 1))).exp();
  const Tensor angles = at::arange(rows, exact).unsqueeze(1) * frequencies;
  Tensor table = at::cat({angles.sin(), angles.cos()}, 1);
  if (dim % 2 == 1) table = at::cat({table, at::zeros({rows, 1}, exact)}, 1);
  if (rows > kPad) table[kPad].zero_();
  return table.to(options);
}

PositionsImpl::PositionsImpl(const EmbeddingConfig& config, int64_t dim)
    : dim_(dim), max_positions_(config.max_positions) {
  if (config.positions == PositionTable::Learned) {
    learned_ = register_parameter("weight", at::empty({config.max_positions + kPad + 1, dim}));
  }
}

void PositionsImpl::initialise(at::Generator& generator) {
  if (!learned_.defined()) return;
  normal(learned_, 1.0 / std::sqrt(static_cast<double>(dim_)), generator);
  fill(learned_[kPad], 0.0);
}

Tensor PositionsImpl::forward(const Tensor& tokens, const Tensor& seen, const at::TensorOptions& options) {
  const Tensor ids = position_ids(tokens, seen);
  const int64_t rows = ids.max().item<int64_t>() + 1;
  if (learned_.defined()) {
    if (rows > learned_.size(0)) {
      throw UserError("sequence of {} tokens is longer than model.embedding.max_positions ({})",
                      rows - kPad - 1, max_positions_);
    }
    return at::embedding(learned_, ids, kPad);
  }
  if (!table_.defined() || table_.size(0) < rows || table_.dtype() != options.dtype() ||
      table_.device() != options.device()) {
    table_ = sinusoidal_table(std::max<int64_t>(2 * rows, 256), dim_, options);
  }
  return at::embedding(table_, ids);
}

}  // namespace memsizer::nn
