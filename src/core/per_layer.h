#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memsizer {

// A setting of the layers of a stack: one value for all of them, or a list that repeats over them.
template <typename T>
class PerLayer {
 public:
  PerLayer(T value) { values_.push_back(std::move(value)); }
  PerLayer(std::vector<T> values) : values_(std::move(values)) {}

  const T& at(int64_t layer) const { return values_[static_cast<size_t>(layer) % values_.size()]; }

  // At least one; layer i has value i modulo their number.
  std::span<const T> values() const { return values_; }

  bool operator==(const PerLayer&) const = default;

 private:
  std::vector<T> values_;
};

}  // namespace memsizer
