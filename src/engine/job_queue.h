#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/job.h"

namespace memsizer::engine {

// Jobs on their way to the workers, first come, first served.
class JobQueue {
 public:
  explicit JobQueue(size_t capacity) : capacity_(capacity) {}

  // Waits for room. False if it is closed.
  bool push(std::shared_ptr<Job> job);

  // Takes a job out if no worker has it yet.
  bool remove(const Job& job);

  // What a worker can take in.
  struct Room {
    int64_t jobs = 0;
    int64_t tokens = 0;
    int64_t worthwhile = 1;  // jobs: fewer are not worth a reading of their own if others would have to wait
    bool idle = false;       // nothing else to do: wait for jobs, and take one at least
  };
  // Jobs to be read together; none if there are none, or it is better to wait until more fit. Idle workers
  // get none only when it is closed.
  std::vector<std::shared_ptr<Job>> take(const Room& room);

  // The next job alone, without taking memory; null if there is none.
  std::shared_ptr<Job> take_first() noexcept;

  // No more jobs; gives back those that no worker has.
  std::vector<std::shared_ptr<Job>> close();
  bool closed() const { return closed_; }

 private:
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::condition_variable taken_;
  std::deque<std::shared_ptr<Job>> jobs_;
  size_t capacity_;
  int64_t waiting_workers_ = 0;
  std::atomic<bool> closed_{false};
};

}  // namespace memsizer::engine
