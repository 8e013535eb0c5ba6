#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "kernels/aligned_buffer.h"
#include "runtime/mixer.h"
#include "runtime/state_layout.h"

namespace memsizer::runtime {

// What cross-attention keeps of one source, in all layers: read once, then only looked at, by however many
// rows and states share it.
class SourceMemory {
 public:
  SourceMemory(std::shared_ptr<const StateLayout> layout, int64_t tokens)
      : layout_(std::move(layout)),
        tokens_(tokens),
        numbers_(kernels::AlignedBuffer<float>::uninitialised(
            static_cast<size_t>(layout_->source_floats(tokens)))) {}

  int64_t tokens() const { return tokens_; }
  size_t bytes() const { return numbers_.bytes(); }

  SourceState layer(size_t i) {
    return {numbers_.data() + layout_->source_fixed_offset(i),
            numbers_.data() + layout_->source_token_offset(i, tokens_), tokens_};
  }
  ConstSourceState layer(size_t i) const {
    return {numbers_.data() + layout_->source_fixed_offset(i),
            numbers_.data() + layout_->source_token_offset(i, tokens_), tokens_};
  }

 private:
  std::shared_ptr<const StateLayout> layout_;
  int64_t tokens_;
  kernels::AlignedBuffer<float> numbers_;
};

}  // namespace memsizer::runtime
