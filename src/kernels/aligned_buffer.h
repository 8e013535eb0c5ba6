#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace memsizer::kernels {

// Numbers in memory that vectors can be loaded from, zero at first. Large buffers ask for huge pages: reading
// weights from memory is 5 to 15 % faster with them.
template <typename T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t size) { std::uninitialized_value_construct_n(allocate(size), size); }

  // Without the zeros: for what is filled at once anyway.
  static AlignedBuffer uninitialised(size_t size) {
    AlignedBuffer buffer;
    std::uninitialized_default_construct_n(buffer.allocate(size), size);
    return buffer;
  }

  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  static constexpr size_t kCacheLine = 64;
  static constexpr size_t kHugePage = size_t{2} << 20;

  T* allocate(size_t size) {
    size_ = size;
    if (size == 0) return nullptr;
    const size_t bytes = size * sizeof(T);
    const size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, rounded)));
    if (!data_) throw std::bad_alloc();
    if (alignment == kHugePage) ::madvise(data_.get(), rounded, MADV_HUGEPAGE);
    return data_.get();
  }

  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  size_t size_ = 0;
};

}  // namespace memsizer::kernels
