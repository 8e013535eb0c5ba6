#include "support/poison_allocator.h"

#include <c10/core/CPUAllocator.h>

#include <cstring>

namespace memsizer::testing {
namespace {

class PoisonAllocator final : public c10::Allocator {
 public:
  explicit PoisonAllocator(c10::Allocator* base) : base_(base) {}

  c10::DataPtr allocate(size_t bytes) const override {
    c10::DataPtr memory = base_->allocate(bytes);
    // All bits set is a NaN in every floating-point format, and -1 in every integer.
    if (bytes > 0) std::memset(memory.get(), 0xFF, bytes);
    return memory;
  }

  c10::DeleterFnPtr raw_deleter() const override { return base_->raw_deleter(); }

 private:
  c10::Allocator* base_;
};

}  // namespace

void poison_fresh_memory() {
  static PoisonAllocator allocator(c10::GetCPUAllocator());
  c10::SetCPUAllocator(&allocator, /*priority=*/100);
}

}  // namespace memsizer::testing
