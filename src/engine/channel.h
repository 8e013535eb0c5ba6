#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <vector>

namespace memsizer::engine {

// Items on their way from one thread to another, in order. Either end may close it; the receiver still gets
// what was sent, then the error the sender closed it with.
template <typename Item>
class Channel {
 public:
  explicit Channel(size_t capacity) : capacity_(capacity) {}

  // Waits for room. False if it is closed: the item is left as it was.
  bool push(Item& item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.size() < capacity_ || closed_; });
    if (closed_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  void close(std::exception_ptr error = nullptr) {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    if (error) error_ = error;
    changed_.notify_all();
  }

  // All items sent so far, one at least; none at the end.
  std::vector<Item> take_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || closed_; });
    std::vector<Item> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(items_.end()));
    items_.clear();
    changed_.notify_all();
    if (taken.empty() && error_) std::rethrow_exception(error_);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  size_t capacity_;
  bool closed_ = false;
  std::exception_ptr error_;
};

}  // namespace memsizer::engine
