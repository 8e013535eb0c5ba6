#include "engine/work_pool.h"

#include <system_error>

#include "core/error.h"

namespace memsizer::engine {
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
