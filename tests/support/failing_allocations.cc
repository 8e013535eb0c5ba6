#include "support/failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> until_failure{kNever};
std::atomic<int64_t> failures_left{0};
std::atomic<bool> one_failed{false};

bool fails() {
  if (until_failure.load(std::memory_order_relaxed) == kNever) return false;
  if (until_failure.fetch_sub(1) > 1) return false;
  if (failures_left.fetch_sub(1) <= 0) return false;
  one_failed = true;
  return true;
}

void* allocated(void* memory) {
  if (memory) return memory;
  throw std::bad_alloc();
}

}  // namespace

namespace memsizer::testing {

FailingAllocations::FailingAllocations(int64_t n, int64_t count) {
  one_failed = false;
  failures_left = count;
  until_failure = n;
}

FailingAllocations::~FailingAllocations() {
  until_failure = kNever;
}

bool FailingAllocations::failed() const {
  return one_failed;
}

}  // namespace memsizer::testing

extern "C" void* __real_aligned_alloc(size_t alignment, size_t size);
extern "C" void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? nullptr : __real_aligned_alloc(alignment, size);
}

void* operator new(size_t size) {
  return allocated(fails() ? nullptr : std::malloc(size));
}

void* operator new(size_t size, const std::nothrow_t& /*quiet*/) noexcept {
  return fails() ? nullptr : std::malloc(size);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}
