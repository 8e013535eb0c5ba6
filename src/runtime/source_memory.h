#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/aligned_buffer.h"
#include "runtime/mixer.h"
#include "runtime/state_layout.h"

namespace memsizer::runtime {

// What cross-attention keeps of one source, in all layers: read once, then only looked at, by however many
// rows and states share it.
class SourceMemory {
 public:
  SourceMemory(const std::shared_ptr<const StateLayout>& layout, int64_t tokens)
      : SourceMemory(layout, tokens, piece_of(static_cast<size_t>(layout->source_floats(tokens))), 0) {}

  // Of sources that are read together. They have their memory side by side, in pieces that are large enough
  // for huge pages; a piece is freed with the last of its few sources.
  static std::vector<std::shared_ptr<SourceMemory>> together(const std::shared_ptr<const StateLayout>& layout,
                                                             const Ragged& sources) {
    std::vector<std::shared_ptr<SourceMemory>> memories;
    for (int64_t first = 0; first < sources.sequences();) {
      int64_t last = first;
      int64_t floats = 0;
      while (last < sources.sequences() && floats < kPieceFloats)
        floats += layout->source_floats(sources.length(last++));
      const Piece piece = piece_of(static_cast<size_t>(floats));
      int64_t at = 0;
      for (; first < last; ++first) {
        memories.push_back(
            std::shared_ptr<SourceMemory>(new SourceMemory(layout, sources.length(first), piece, at)));
        at += layout->source_floats(sources.length(first));
      }
    }
    return memories;
  }

  int64_t tokens() const { return tokens_; }
  size_t bytes() const { return static_cast<size_t>(layout_->source_floats(tokens_)) * sizeof(float); }

  SourceState layer(size_t i) {
    return {numbers_ + layout_->source_fixed_offset(i), numbers_ + layout_->source_token_offset(i, tokens_),
            tokens_};
  }
  ConstSourceState layer(size_t i) const {
    return {numbers_ + layout_->source_fixed_offset(i), numbers_ + layout_->source_token_offset(i, tokens_),
            tokens_};
  }

 private:
  using Piece = std::shared_ptr<kernels::AlignedBuffer<float>>;
  static constexpr int64_t kPieceFloats = 2 << 20;  // 8 MB

  static Piece piece_of(size_t floats) {
    return std::make_shared<kernels::AlignedBuffer<float>>(
        kernels::AlignedBuffer<float>::uninitialised(floats));
  }

  SourceMemory(std::shared_ptr<const StateLayout> layout, int64_t tokens, Piece piece, int64_t offset)
      : layout_(std::move(layout)),
        tokens_(tokens),
        piece_(std::move(piece)),
        numbers_(piece_->data() + offset) {}

  std::shared_ptr<const StateLayout> layout_;
  int64_t tokens_;
  Piece piece_;
  float* numbers_;  // in the piece
};

}  // namespace memsizer::runtime
