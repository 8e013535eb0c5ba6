#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace memsizer::text {

// Pairs of token sequences, one after the other.
class TokenPairs {
 public:
  void add(std::span<const int32_t> source, std::span<const int32_t> target) {
    sources_.insert(sources_.end(), source.begin(), source.end());
    targets_.insert(targets_.end(), target.begin(), target.end());
    source_ends_.push_back(sources_.size());
    target_ends_.push_back(targets_.size());
  }

  size_t size() const { return source_ends_.size() - 1; }
  std::span<const int32_t> source(size_t pair) const { return part(sources_, source_ends_, pair); }
  std::span<const int32_t> target(size_t pair) const { return part(targets_, target_ends_, pair); }

  // All targets' tokens, and where those of a pair begin among them.
  std::span<const int32_t> targets() const { return targets_; }
  size_t target_begin(size_t pair) const { return target_ends_[pair]; }

 private:
  static std::span<const int32_t> part(const std::vector<int32_t>& all, const std::vector<size_t>& ends,
                                       size_t pair) {
    return std::span(all).subspan(ends[pair], ends[pair + 1] - ends[pair]);
  }

  std::vector<int32_t> sources_;
  std::vector<int32_t> targets_;
  std::vector<size_t> source_ends_{0};  // of the pair before; the first begins at 0
  std::vector<size_t> target_ends_{0};
};

}  // namespace memsizer::text
