#include "runtime/positions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "kernels/rows.h"

namespace memsizer::runtime {
namespace {

// Ids start after that of padding: the first token has position 2.
constexpr int64_t kFirst = kPad + 1;

}  // namespace

Positions::Positions(const ModelConfig& config, const Weights& weights) : dim_(config.dim) {
  if (config.embedding.positions == PositionTable::Learned) {
    longest_ = config.embedding.max_positions;
    learned_ = weights.floats("embed_positions.weight");
    return;
  }
  const int64_t half = dim_ / 2;
  for (int64_t j = 0; j < half; ++j)
    frequencies_.push_back(
        std::exp(static_cast<double>(j) * -std::log(10000.0) / static_cast<double>(half - 1)));
}

const float* Positions::at(int64_t index, Table& table) const {
  if (!learned_.empty()) {
    if (index >= longest_) {
      throw UserError("sequence of {} tokens is longer than model.embedding.max_positions ({})", index + 1,
                      longest_);
    }
    return learned_.data() + (index + kFirst) * dim_;
  }
  if (table.dim != dim_) {
    table.dim = dim_;
    table.rows.resize(static_cast<size_t>(kKept * dim_));
    table.positions.assign(kKept, -1);
  }
  const int64_t slot = index % kKept;
  float* row = table.rows.data() + slot * dim_;
  if (table.positions[slot] == index) return row;
  // Angles are reduced in double: as floats they would be off by 1e-4 at position 10000.
  const auto half = static_cast<int64_t>(frequencies_.size());
  float angles[64];
  for (int64_t begin = 0; begin < half; begin += 64) {
    const int64_t count = std::min<int64_t>(64, half - begin);
    for (int64_t j = 0; j < count; ++j) {
      const double turns =
          static_cast<double>(index + kFirst) * frequencies_[begin + j] / (2.0 * std::numbers::pi);
      angles[j] = static_cast<float>((turns - std::nearbyint(turns)) * (2.0 * std::numbers::pi));
    }
    float values[128];
    kernels::sin_cos(angles, count, 1.0F, values);
    std::copy_n(values, count, row + begin);
    std::copy_n(values + count, count, row + half + begin);
  }
  table.positions[slot] = index;
  return row;
}

}  // namespace memsizer::runtime
