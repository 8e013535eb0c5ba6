#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/tensor_list.h"
#include "runtime/linear.h"
#include "runtime/positions.h"

namespace memsizer::runtime {

// The matrix of a vocabulary, shared by the tables that are tied.
using Table = std::shared_ptr<const kernels::PackedMatrix>;

// Tokens to vectors: a row of the table, or of a band of adaptive input and its projection; times the scale,
// plus the position, normalised where the model does that.
class Embedding {
 public:
  // `table` is the shared one, or null to read one's own at `weights`.
  Embedding(const ModelConfig& config, const Weights& weights, Table table);

  const Table& table() const { return table_; }
  // The bands of adaptive input: table [size, width] and projection [dim, width] of each.
  struct Band {
    AdaptiveBand range;
    Table table;
    Table projection;
  };
  const std::vector<Band>& bands() const { return bands_; }

  int64_t vocab() const { return vocab_; }
  int64_t longest() const { return positions_.longest(); }

  // out [tokens, dim]; `index` is each token's place in its sequence.
  void look_up(Work& work, std::span<const int32_t> tokens, std::span<const int64_t> index, float* out) const;

 private:
  void look_up_bands(Work& work, std::span<const int32_t> tokens, float* out) const;

  int64_t dim_;
  int64_t vocab_;
  float scale_;
  Table table_;
  std::vector<Band> bands_;
  Positions positions_;
  bool normalised_;
  Norm norm_;
};

}  // namespace memsizer::runtime
