#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace memsizer::serve {

// Who may enter a model's batch and the queue before it. Each text takes a place until its result is there;
// when all are taken, others are refused at once rather than kept in memory.
class Admission {
 public:
  // `slots` texts are computed at once, `queue` more wait; long ones take at most `long_slots` of them, so
  // that short ones always find their turn.
  Admission(int64_t slots, int64_t queue, int64_t long_slots)
      : slots_(slots), places_(slots + queue), long_places_(long_slots) {}

  enum class Length { Short, Long };

  class Place {
   public:
    Place(Admission& admission, int64_t count, Length length)
        : admission_(admission), count_(count), length_(length) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { admission_.leave(count_, length_); }

   private:
    Admission& admission_;
    int64_t count_;
    Length length_;
  };

  // Null if there is no room for all of them.
  std::unique_ptr<Place> enter(int64_t count, Length length);

  // Waits until nobody is inside.
  void wait_until_empty();

  int64_t slots() const { return slots_; }
  // What can enter at once when nobody is inside.
  int64_t most(Length length) const {
    return length == Length::Long ? std::min(long_places_, places_) : places_;
  }
  int64_t inside() const {
    const std::scoped_lock lock(mutex_);
    return inside_;
  }

 private:
  void leave(int64_t count, Length length);

  const int64_t slots_;
  const int64_t places_;
  const int64_t long_places_;
  mutable std::mutex mutex_;
  std::condition_variable left_;
  int64_t inside_ = 0;
  int64_t long_inside_ = 0;
};

}  // namespace memsizer::serve
