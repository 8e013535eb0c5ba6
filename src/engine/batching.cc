#include "engine/batching.h"

#include <algorithm>
#include <numeric>

namespace memsizer::engine {

std::vector<std::vector<size_t>> batches_by_length(std::span<const size_t> lengths, int64_t batch_tokens,
                                                   int64_t batch_rows) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
  for (const size_t i : order) {
    const auto length = static_cast<int64_t>(lengths[i]);
    const bool full = batches.empty() || tokens + length > batch_tokens ||
                      static_cast<int64_t>(batches.back().size()) >= batch_rows;
    if (full) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(i);
    tokens += length;
  }
  return batches;
}

}  // namespace memsizer::engine
