#pragma once

#include <cstdint>
#include <span>

namespace memsizer::decode {

// A model that generates token by token for a number of rows at once. LibTorch and runtime models both are
// one; the search knows nothing else of them. It is made for a batch of sources, and starts with one row for
// each of them.
class StepModel {
 public:
  virtual ~StepModel() = default;

  virtual int64_t vocab() const = 0;

  // Makes row i of the next step a copy of what was row parents[i]; the number of rows may grow and shrink.
  // May be called before the first step.
  virtual void reorder(std::span<const int64_t> parents) = 0;

  // Reads one token for each row and returns the logits (or log-probabilities) of the next:
  // row-major [rows, vocab], valid until the next call, and free for the caller to overwrite.
  virtual std::span<float> advance(std::span<const int32_t> tokens) = 0;
};

}  // namespace memsizer::decode
