#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memsizer::decode {

// The log-probabilities of one row of logits, without writing them anywhere: one pass finds the log-sum-exp
// and the largest logit of each block, so that a search for the best tokens passes over most blocks.
// A logit that is not a number counts as -inf, +inf as the largest finite number.
class RowScores {
 public:
  static constexpr size_t kBlock = 64;

  // Logits are divided by `temperature`. The row must outlive the next call; its numbers may be lowered, and
  // lowering them changes no other token's score.
  void read(std::span<const float> row, double temperature);

  size_t tokens() const { return row_.size(); }
  float logit(size_t token) const { return row_[token]; }

  // log softmax(row / temperature)[token].
  float score(size_t token) const;

  // No token whose logit is at most this has a score above `score`.
  float logit_bound(double score) const;

  // At least the largest logit of tokens [block * kBlock, (block + 1) * kBlock).
  float block_max(size_t block) const { return block_max_[block]; }

 private:
  std::span<const float> row_;
  std::vector<float> block_max_;
  double temperature_ = 1.0;
  double max_ = 0.0;
  double log_sum_ = 0.0;
};

}  // namespace memsizer::decode
