#include "engine/job_queue.h"

#include <algorithm>

namespace memsizer::engine {

bool JobQueue::push(std::shared_ptr<Job> job) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return jobs_.size() < capacity_ || closed_; });
  if (closed_) return false;
  jobs_.push_back(std::move(job));
  pushed_.notify_one();
  return true;
}

bool JobQueue::remove(const Job& job) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(jobs_, &job, &std::shared_ptr<Job>::get);
  if (found == jobs_.end()) return false;
  jobs_.erase(found);
  taken_.notify_all();
  return true;
}

std::vector<std::shared_ptr<Job>> JobQueue::take(const Room& room) {
  std::unique_lock lock(mutex_);
  if (room.idle) {
    ++waiting_workers_;
    pushed_.wait(lock, [&] { return !jobs_.empty() || closed_; });
    --waiting_workers_;
  }
  std::vector<std::shared_ptr<Job>> taken;
  const auto waiting = static_cast<int64_t>(jobs_.size());
  // Workers that have nothing to do come first, and share what there is.
  if (!room.idle && waiting_workers_ > 0) return taken;
  if (!room.idle && waiting > room.jobs && room.jobs < room.worthwhile) return taken;
  const int64_t share = (waiting + waiting_workers_) / (waiting_workers_ + 1);
  // A job that is taken is not lost when memory is.
  taken.reserve(static_cast<size_t>(std::max<int64_t>(0, std::min(room.jobs, share))));
  int64_t tokens = 0;
  while (!jobs_.empty() && static_cast<int64_t>(taken.size()) < std::min(room.jobs, share)) {
    tokens += static_cast<int64_t>(jobs_.front()->tokens.size());
    if (tokens > room.tokens && !(room.idle && taken.empty())) break;
    taken.push_back(std::move(jobs_.front()));
    jobs_.pop_front();
  }
  if (!taken.empty()) taken_.notify_all();
  if (!jobs_.empty()) pushed_.notify_one();
  return taken;
}

std::shared_ptr<Job> JobQueue::take_first() noexcept {
  const std::scoped_lock lock(mutex_);
  if (jobs_.empty()) return nullptr;
  std::shared_ptr<Job> job = std::move(jobs_.front());
  jobs_.pop_front();
  taken_.notify_all();
  return job;
}

std::vector<std::shared_ptr<Job>> JobQueue::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  std::vector<std::shared_ptr<Job>> left(jobs_.begin(), jobs_.end());
  jobs_.clear();
  pushed_.notify_all();
  taken_.notify_all();
  return left;
}

}  // namespace memsizer::engine
