#pragma once

#include <cstdint>
#include <span>

#include "decode/token_list.h"

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

  // The same for groups of rows, each of which wants the logits of its own tokens only: one after the other
  // [rows of the group, its tokens].
  virtual std::span<float> advance_among(std::span<const int32_t> tokens, std::span<const RowGroup> groups);
};

// Rows side by side, and which of their columns are kept: rising, none for all.
struct ColumnGroup {
  size_t rows = 1;
  std::span<const int32_t> columns;
};

// Moves what is kept of `scores` [rows, width] together, without gaps; returns that part.
std::span<float> keep_columns(std::span<float> scores, size_t width, std::span<const ColumnGroup> groups);

}  // namespace memsizer::decode
