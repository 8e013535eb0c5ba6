#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/aligned_buffer.h"

namespace memsizer::kernels {

// A few threads that work on one step together. Members wait for the next piece of work by spinning for some
// microseconds, since a step has dozens of pieces, then by giving the processor away, then asleep: an idle
// team costs nothing, and one beside a busy process does not fight it.
class Team {
 public:
  // The caller is one of the members, so a team of one has no thread of its own.
  explicit Team(int members = 1);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  int size() const { return size_; }

  // Calls work(member) on every member at once, 0 being the caller, and returns when all have. `work` must
  // not throw and must not use the team.
  template <typename Work>
  void run(const Work& work) {
    if (size_ == 1) return work(0);
    run_on_all({[](const void* state, int member) { (*static_cast<const Work*>(state))(member); }, &work});
  }

  // Calls work(begin, end) for consecutive shares of [0, count), which are multiples of `grain` but for the
  // last; on the caller alone where there is only one. The shares depend on the team's size only.
  template <typename Work>
  void split(int64_t count, int64_t grain, const Work& work) {
    const int64_t grains = (count + grain - 1) / grain;
    if (size_ == 1 || grains <= 1) {
      if (count > 0) work(int64_t{0}, count);
      return;
    }
    run([&](int member) {
      const int64_t begin = grains * member / size_ * grain;
      const int64_t end = std::min(count, grains * (member + 1) / size_ * grain);
      if (begin < end) work(begin, end);
    });
  }

  // Calls work(begin, end) for pieces of [0, count) of `grain` each, which members take as they get free: a
  // member that something else holds up takes fewer.
  template <typename Work>
  void share(int64_t count, int64_t grain, const Work& work) {
    if (size_ == 1 || count <= grain) {
      if (count > 0) work(int64_t{0}, count);
      return;
    }
    std::atomic<int64_t> next{0};
    run([&](int /*member*/) {
      for (;;) {
        const int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= count) return;
        work(begin, std::min(count, begin + grain));
      }
    });
  }

  // Room for the kernels' own use during one call, at least `bytes`; kept for the next call.
  std::byte* scratch(size_t bytes);

 private:
  struct Job {
    void (*call)(const void* state, int member) = nullptr;
    const void* state = nullptr;
  };

  void run_on_all(const Job& job);
  void serve(int member);

  int size_;
  Job job_;
  // Apart from each other: the caller writes the first, the members the second.
  alignas(64) std::atomic<uint32_t> round_{0};
  alignas(64) std::atomic<int32_t> working_{0};
  std::atomic<bool> stopping_{false};
  AlignedBuffer<std::byte> scratch_;
  std::vector<std::thread> threads_;
};

// The processor cores this process may use, each counted once however many threads it runs.
int physical_cores();

}  // namespace memsizer::kernels
