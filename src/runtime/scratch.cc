#include "runtime/scratch.h"

#include <algorithm>
#include <new>

namespace memsizer::runtime {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kFirstBlock = size_t{64} << 10;

}  // namespace

Scratch::Frame::~Frame() {
  scratch_.block_ = block_;
  scratch_.used_ = used_;
  if (block_ == 0 && used_ == 0) scratch_.join_blocks();
}

void* Scratch::take(size_t bytes) {
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  while (block_ < blocks_.size() && used_ + rounded > blocks_[block_].size()) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    const size_t last = blocks_.empty() ? kFirstBlock : 2 * blocks_.back().size();
    blocks_.push_back(Block::uninitialised(std::max(last, rounded)));
  }
  void* taken = blocks_[block_].data() + used_;
  used_ += rounded;
  return taken;
}

void Scratch::join_blocks() {
  if (blocks_.size() < 2) return;
  size_t total = 0;
  for (const auto& block : blocks_) total += block.size();
  blocks_.clear();
  try {
    blocks_.push_back(Block::uninitialised(total));
  } catch (const std::bad_alloc&) {
    // Called at the end of a frame, which does not fail; the next one takes what it needs.
  }
}

}  // namespace memsizer::runtime
