#include "metrics/length_buckets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"

namespace memsizer::metrics {

LengthBuckets::LengthBuckets(std::vector<int64_t> bounds) : bounds_(std::move(bounds)) {
  int64_t last = 0;
  for (const int64_t bound : bounds_) {
    if (bound <= last)
      throw UserError("buckets are {}; each bound must be above 0 and above the one before",
                      fmt::join(bounds_, ","));
    last = bound;
  }
}

size_t LengthBuckets::bucket_of(int64_t length) const {
  return static_cast<size_t>(std::ranges::lower_bound(bounds_, length) - bounds_.begin());
}

std::string LengthBuckets::label(size_t bucket) const {
  if (bounds_.empty()) return "all";
  if (bucket == bounds_.size()) return fmt::format("above {}", bounds_.back());
  return fmt::format("{} to {}", bucket == 0 ? 1 : bounds_[bucket - 1] + 1, bounds_[bucket]);
}

}  // namespace memsizer::metrics
