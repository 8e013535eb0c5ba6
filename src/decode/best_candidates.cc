#include "decode/best_candidates.h"

#include <algorithm>
#include <limits>

namespace memsizer::decode {
namespace {

bool better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.hypothesis != b.hypothesis) return a.hypothesis < b.hypothesis;
  return a.token < b.token;
}

}  // namespace

void BestCandidates::reset(size_t capacity) {
  capacity_ = capacity;
  heap_.clear();
}

double BestCandidates::bar() const {
  return heap_.size() < capacity_ ? -std::numeric_limits<double>::infinity() : heap_.front().score;
}

bool BestCandidates::offer(const Candidate& candidate) {
  // An equal score loses, because it comes later in the order.
  if (capacity_ == 0 || !(candidate.score > bar())) return false;
  if (heap_.size() == capacity_) {
    std::ranges::pop_heap(heap_, better);
    heap_.back() = candidate;
  } else {
    heap_.push_back(candidate);
  }
  std::ranges::push_heap(heap_, better);
  return true;
}

void BestCandidates::offer_tokens(const RowScores& scores, size_t first, int64_t hypothesis, double base) {
  if (capacity_ == 0) return;
  float bound = scores.logit_bound(bar() - base);
  for (size_t start = 0, block = 0; start < scores.tokens(); start += RowScores::kBlock, ++block) {
    if (!(scores.block_max(block) > bound)) continue;
    const size_t end = std::min(start + RowScores::kBlock, scores.tokens());
    for (size_t token = std::max(start, first); token < end; ++token) {
      if (!(scores.logit(token) > bound)) continue;
      const float score = scores.score(token);
      if (offer({.score = base + static_cast<double>(score),
                 .hypothesis = hypothesis,
                 .token = static_cast<int32_t>(token),
                 .token_score = score})) {
        bound = scores.logit_bound(bar() - base);
      }
    }
  }
}

std::span<const Candidate> BestCandidates::sorted() {
  std::ranges::sort_heap(heap_, better);
  return heap_;
}

}  // namespace memsizer::decode
