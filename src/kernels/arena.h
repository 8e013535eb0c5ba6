#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/aligned_buffer.h"

namespace memsizer::kernels {

// Memory for many buffers that live equally long, taken from the system in large pieces: these have huge
// pages, which are faster to get and to read than as many small ones.
class Arena {
 public:
  explicit Arena(size_t piece = kPiece) : piece_(piece) {}

  // Aligned to a cache line, not initialised.
  std::byte* take(size_t bytes) {
    bytes = (bytes + kLine - 1) / kLine * kLine;
    if (pieces_.empty() || pieces_.back().size() - used_ < bytes) {
      pieces_.push_back(AlignedBuffer<std::byte>::uninitialised(std::max(bytes, piece_)));
      used_ = 0;
    }
    std::byte* taken = pieces_.back().data() + used_;
    used_ += bytes;
    return taken;
  }

 private:
  static constexpr size_t kLine = 64;
  static constexpr size_t kPiece = size_t{16} << 20;

  size_t piece_;
  std::vector<AlignedBuffer<std::byte>> pieces_;
  size_t used_ = 0;  // of the last piece
};

}  // namespace memsizer::kernels
