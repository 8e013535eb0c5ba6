#pragma once

#include "runtime/embedding.h"

namespace memsizer::runtime {

// Vectors to scores over the vocabulary: logits, or log-probabilities with adaptive softmax.
class Output {
 public:
  // Tied to the decoder's embedding where the configuration says so.
  Output(const ModelConfig& config, const Weights& weights, const Embedding& embedding);

  int64_t vocab() const { return vocab_; }

  // The rows of these tokens, for a shortlist; not of adaptive softmax.
  kernels::PackedMatrix rows_of(Work& work, std::span<const int32_t> tokens) const;

  // x [count, dim] -> out [count, vocab]
  void apply(Work& work, ConstRows x, int64_t count, float* out) const;

 private:
  struct Tail {
    AdaptiveBand range;
    kernels::PackedMatrix projection;  // [width, dim]
    Table words;                       // [size, width]
  };

  void apply_adaptive(Work& work, ConstRows x, int64_t count, float* out) const;

  int64_t dim_;
  int64_t vocab_;
  Table table_;                     // [vocab, dim], or the words of the first band
  kernels::PackedMatrix clusters_;  // [tails, dim], or the whole head if it is not tied
  bool head_is_tied_ = true;
  std::vector<Tail> tails_;
};

}  // namespace memsizer::runtime
