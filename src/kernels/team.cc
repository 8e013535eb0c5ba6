#include "kernels/team.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

namespace memsizer::kernels {
namespace {

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until `changed` holds: spinning first, then letting others run. False if it took too long.
template <typename Condition>
bool wait_awake(const Condition& changed) {
  constexpr int kSpins = 2000;   // some 30 microseconds: longer than the pauses between pieces of a step
  constexpr int kYields = 2000;  // some milliseconds: longer than what happens between steps
  for (int i = 0; i < kSpins; ++i) {
    if (changed()) return true;
    pause_briefly();
  }
  for (int i = 0; i < kYields; ++i) {
    if (changed()) return true;
    sched_yield();
  }
  return false;
}

void dismiss(std::atomic<bool>& stopping, std::atomic<uint32_t>& round, std::vector<std::thread>& threads) {
  stopping.store(true, std::memory_order_relaxed);
  round.fetch_add(1, std::memory_order_release);
  round.notify_all();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

Team::Team(int members) : size_(std::max(1, members)) {
  try {
    for (int member = 1; member < size_; ++member) threads_.emplace_back([this, member] { serve(member); });
  } catch (...) {
    // The machine gives no more threads.
    dismiss(stopping_, round_, threads_);
    throw;
  }
}

Team::~Team() {
  dismiss(stopping_, round_, threads_);
}

void Team::run_on_all(const Job& job) {
  job_ = job;
  working_.store(size_ - 1, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  job.call(job.state, 0);
  while (!wait_awake([&] { return working_.load(std::memory_order_acquire) == 0; })) {
  }
}

void Team::serve(int member) {
  uint32_t seen = 0;
  for (;;) {
    const auto next = [&] { return round_.load(std::memory_order_acquire) != seen; };
    while (!wait_awake(next)) round_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (stopping_.load(std::memory_order_relaxed)) return;
    job_.call(job_.state, member);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

std::byte* Team::scratch(size_t bytes) {
  if (scratch_.size() < bytes) scratch_ = AlignedBuffer<std::byte>::uninitialised(bytes);
  return scratch_.data();
}

int physical_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::string> cores;
  int processors = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    ++processors;
    std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                           "/topology/thread_siblings_list");
    std::string line;
    if (std::getline(siblings, line)) cores.insert(line);
  }
  return std::max(1, cores.empty() ? processors : static_cast<int>(cores.size()));
}

}  // namespace memsizer::kernels
