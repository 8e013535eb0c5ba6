#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/step_model.h"

namespace memsizer::decode::testing {

// Logits that look random and depend on the sentence and on every token read, so that a row put in the wrong
// place shows in the output.
struct HashLogits {
  int64_t vocab = 10;
  uint64_t seed = 1;
  double end_bias = 0.0;       // added to the end token's logit
  double grid = 0.0;           // if above 0, logits are multiples of it: many are equal
  double hostile_share = 0.0;  // of logits that are NaN, infinite or huge
  double dead_share = 0.0;     // of rows that are -inf or NaN throughout

  uint64_t start(uint64_t sentence) const;
  uint64_t after(uint64_t state, int32_t token) const;
  void fill(uint64_t state, std::span<float> row) const;
};

class HashModel : public StepModel {
 public:
  // One row for each of `sentences`, the numbers that tell them apart.
  HashModel(const HashLogits& logits, const std::vector<uint64_t>& sentences);

  int64_t vocab() const override { return logits_.vocab; }
  void reorder(std::span<const int64_t> parents) override;
  std::span<float> advance(std::span<const int32_t> tokens) override;

  // One row more, after the others.
  void append(uint64_t sentence) { states_.push_back(logits_.start(sentence)); }

  const std::vector<size_t>& rows_of_steps() const { return rows_of_steps_; }
  size_t reorders() const { return reorders_; }
  // Rows that a reordering put elsewhere than they were.
  size_t moves() const { return moves_; }

 private:
  HashLogits logits_;
  std::vector<uint64_t> states_;
  std::vector<float> buffer_;
  std::vector<size_t> rows_of_steps_;
  size_t reorders_ = 0;
  size_t moves_ = 0;
};

}  // namespace memsizer::decode::testing
