#include "engine/work_pool.h"

#include <algorithm>
#include <system_error>

#include "core/error.h"

namespace memsizer::engine {
namespace {

constexpr int kMost = 1024;

}  // namespace

int thread_count(int threads, int workers) {
  if (workers < 1 || workers > kMost)
    throw UserError("workers is {}; it must be from 1 to {}", workers, kMost);
  if (threads < 0 || threads > kMost) {
    throw UserError("threads is {}; it must be from 1 to {}, or 0 for the physical cores", threads, kMost);
  }
  return threads > 0 ? threads : std::max(1, kernels::physical_cores() / workers);
}

std::unique_ptr<runtime::Work> make_work(int threads) {
  try {
    return std::make_unique<runtime::Work>(threads);
  } catch (const std::system_error& error) {
    throw UserError("{} threads could not be started ({}); ask for fewer", threads, error.what());
  }
}

WorkPool::Loan WorkPool::borrow() {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<runtime::Work> work = std::move(free_.back());
      free_.pop_back();
      return {*this, std::move(work)};
    }
  }
  return {*this, make_work(threads_)};
}

void WorkPool::give_back(std::unique_ptr<runtime::Work> work) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(work));
}

}  // namespace memsizer::engine
