#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/state_field.h"

namespace memsizer::runtime {

// How many numbers a layer keeps of a sequence, and how many more of each of its tokens.
struct KeptFloats {
  int64_t fixed = 0;
  int64_t per_token = 0;
};

// Of the fields that a mixer's description lists, without a count of tokens.
KeptFloats kept_floats(std::span<const StateField> fields);

// Where the numbers of each layer are, in the memory of a row and in that of a source. Layers may differ.
// Each starts at a cache line, so that members of a team never write to the same one.
class StateLayout {
 public:
  // What self-attention keeps of a row and cross-attention of a source, one entry per layer; a language model
  // has no cross-attention.
  StateLayout(std::vector<KeptFloats> self, std::vector<KeptFloats> cross);

  const KeptFloats& self(size_t layer) const { return self_[layer]; }
  const KeptFloats& cross(size_t layer) const { return cross_[layer]; }

  // What all layers keep of a row, whatever it has read; and where a layer's part of it starts.
  int64_t row_floats() const { return row_floats_; }
  int64_t row_offset(size_t layer) const { return row_offsets_[layer]; }
  // What each layer keeps of each token that a row reads.
  std::vector<int64_t> token_widths() const;

  // What all layers keep of a source of so many tokens; and where a layer's parts of it start.
  int64_t source_floats(int64_t tokens) const { return source_fixed_ + source_per_token_ * tokens; }
  int64_t source_fixed_offset(size_t layer) const { return source_[layer].fixed; }
  int64_t source_token_offset(size_t layer, int64_t tokens) const {
    return source_fixed_ + source_[layer].per_token * tokens;
  }

 private:
  std::vector<KeptFloats> self_;
  std::vector<KeptFloats> cross_;
  std::vector<int64_t> row_offsets_;
  int64_t row_floats_ = 0;
  // Of the layers before each one: first the fixed numbers of all layers, then those per token.
  std::vector<KeptFloats> source_;
  int64_t source_fixed_ = 0;
  int64_t source_per_token_ = 0;
};

}  // namespace memsizer::runtime
