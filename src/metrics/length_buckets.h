#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memsizer::metrics {

// Lengths sorted into ranges, to score short and long text apart.
class LengthBuckets {
 public:
  // `bounds` ascending, each the largest length of its bucket; a last bucket takes all that is longer. Bounds
  // that do not ascend or are below 1 are a UserError.
  explicit LengthBuckets(std::vector<int64_t> bounds);

  size_t size() const { return bounds_.size() + 1; }
  size_t bucket_of(int64_t length) const;
  // "1 to 10", "11 to 20", "above 20".
  std::string label(size_t bucket) const;

 private:
  std::vector<int64_t> bounds_;
};

}  // namespace memsizer::metrics
