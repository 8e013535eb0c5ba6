#pragma once

#include <cstdint>

namespace memsizer::testing {

// Linking failing_allocations.cc (with -rdynamic -Wl,--wrap=aligned_alloc) replaces operator new and
// aligned_alloc by ones that can fail.

// While it lives, the n-th allocation from now on fails, on whatever thread, and `count` - 1 after it.
class FailingAllocations {
 public:
  explicit FailingAllocations(int64_t n, int64_t count = 1);
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  ~FailingAllocations();

  // Whether one has failed.
  bool failed() const;
};

}  // namespace memsizer::testing
