#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/aligned_buffer.h"

namespace memsizer::runtime {

// Memory for intermediate results, handed out and taken back like a stack. After the first steps it has grown
// to what a step needs, and nothing is allocated any more.
class Scratch {
 public:
  // What was taken through a frame is free again when the frame goes. Frames nest.
  class Frame {
   public:
    explicit Frame(Scratch& scratch) : scratch_(scratch), block_(scratch.block_), used_(scratch.used_) {}
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame();

    // Not initialised, aligned to a cache line.
    template <typename T>
    T* array(int64_t count) {
      static_assert(std::is_trivially_destructible_v<T>);
      T* first = static_cast<T*>(take(static_cast<size_t>(count) * sizeof(T)));
      std::uninitialized_default_construct_n(first, count);
      return first;
    }
    float* floats(int64_t count) { return array<float>(count); }
    int64_t* integers(int64_t count) { return array<int64_t>(count); }

   private:
    void* take(size_t bytes) { return scratch_.take(bytes); }

    Scratch& scratch_;
    size_t block_;
    size_t used_;
  };

 private:
  using Block = kernels::AlignedBuffer<std::byte>;

  void* take(size_t bytes);
  void join_blocks();

  std::vector<Block> blocks_;
  size_t block_ = 0;  // in use
  size_t used_ = 0;   // bytes of it
};

// How far apart rows of `width` numbers are kept: never a multiple of 4 KB, since a cache has few places for
// what is at the same place of a page.
inline int64_t row_stride(int64_t width) {
  constexpr int64_t kLine = 16;
  constexpr int64_t kPage = 1024;
  return width % kPage == 0 ? width + kLine : width;
}

}  // namespace memsizer::runtime
