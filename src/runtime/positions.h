#pragma once

#include <cstdint>
#include <vector>

#include "model/model_config.h"
#include "runtime/tensor_source.h"

namespace memsizer::runtime {

// Position vectors. Sinusoidal ones are made when first needed and kept in a table of fixed size, so that
// endless generation needs no more memory than a short one.
class Positions {
 public:
  Positions(const ModelConfig& config, const Weights& weights);

  // Fewer are possible only for learned positions; 0 is no bound.
  int64_t longest() const { return longest_; }

  // Rows made so far; one for each worker, since it changes. Another width starts it anew.
  struct Table {
    int64_t dim = 0;
    std::vector<float> rows;
    std::vector<int64_t> positions;  // of each row, -1 while it is empty
  };

  // The vector [dim] of the token at `index`, counted from 0 in its sequence.
  const float* at(int64_t index, Table& table) const;

 private:
  static constexpr int64_t kKept = 256;

  int64_t dim_;
  int64_t longest_ = 0;
  std::vector<float> learned_;  // [longest + 2, dim]
  std::vector<double> frequencies_;
};

}  // namespace memsizer::runtime
