#include "serve/admission.h"

namespace memsizer::serve {

std::unique_ptr<Admission::Place> Admission::enter(int64_t count, Length length) {
  const std::scoped_lock lock(mutex_);
  if (inside_ + count > places_) return nullptr;
  if (length == Length::Long && long_inside_ + count > long_places_) return nullptr;
  inside_ += count;
  if (length == Length::Long) long_inside_ += count;
  return std::make_unique<Place>(*this, count, length);
}

void Admission::leave(int64_t count, Length length) {
  const std::scoped_lock lock(mutex_);
  inside_ -= count;
  if (length == Length::Long) long_inside_ -= count;
  // With the lock held: who waits may destroy this as soon as it is free.
  left_.notify_all();
}

void Admission::wait_until_empty() {
  std::unique_lock lock(mutex_);
  left_.wait(lock, [&] { return inside_ == 0; });
}

}  // namespace memsizer::serve
