#include "support/failing_allocations.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> until_failure{kNever};
std::atomic<int64_t> failures_left{0};
std::atomic<bool> one_failed{false};

// The destructor of nlohmann::json takes memory, and ends the process if it gets none: not ours to mend.
// Programs keep a reserve for it (cli/command_line.cc).
bool inside_json_destructor() {
  std::array<void*, 24> frames{};
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < depth; ++i) {
    Dl_info info{};
    if (::dladdr(frames[static_cast<size_t>(i)], &info) == 0 || !info.dli_sname) continue;
    if (std::strstr(info.dli_sname, "json_value7destroy")) return true;
  }
  return false;
}

bool fails() {
  if (until_failure.load(std::memory_order_relaxed) == kNever) return false;
  if (until_failure.fetch_sub(1) > 1 || failures_left <= 0 || inside_json_destructor()) return false;
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
