#include "memory_meter.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <memory>

namespace memsizer::bench {
namespace {

std::atomic<int64_t> live_bytes{0};
std::atomic<int64_t> highest_bytes{0};
int64_t bytes_at_reset = 0;

void count(int64_t change) {
  const int64_t now = live_bytes += change;
  int64_t highest = highest_bytes;
  while (now > highest && !highest_bytes.compare_exchange_weak(highest, now)) {
  }
}

// Keeps the block it stands for, and its size, until the tensor is freed.
struct Block {
  c10::DataPtr memory;
  int64_t bytes;
};

class MeteringAllocator final : public c10::Allocator {
 public:
  explicit MeteringAllocator(c10::Allocator* base) : base_(base) {}

  c10::DataPtr allocate(size_t bytes) const override {
    auto block = std::make_unique<Block>(Block{base_->allocate(bytes), static_cast<int64_t>(bytes)});
    count(block->bytes);
    void* data = block->memory.get();
    return {data, block.release(), &release, at::kCPU};
  }

 private:
  static void release(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    count(-block->bytes);
  }

  c10::Allocator* base_;
};

}  // namespace

void install_memory_meter() {
  static MeteringAllocator allocator(c10::GetCPUAllocator());
  c10::SetCPUAllocator(&allocator, /*priority=*/100);
}

void reset_peak() {
  bytes_at_reset = live_bytes;
  highest_bytes = bytes_at_reset;
}

int64_t peak_bytes() {
  return highest_bytes - bytes_at_reset;
}

}  // namespace memsizer::bench
