#include "engine/batching.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace memsizer::engine {
namespace {

TEST(BatchesByLength, EveryInputOnceLongestFirstWithinTheBudget) {
  const std::vector<size_t> lengths = {3, 9, 1, 9, 4, 30, 2, 2};
  const auto batches = batches_by_length(lengths, 12, 3);
  std::multiset<size_t> seen;
  size_t before = 1000;
  for (const auto& batch : batches) {
    size_t tokens = 0;
    for (const size_t i : batch) {
      seen.insert(i);
      tokens += lengths[i];
      EXPECT_LE(lengths[i], before);
      before = lengths[i];
    }
    EXPECT_LE(batch.size(), 3U);
    EXPECT_TRUE(tokens <= 12 || batch.size() == 1) << "only an input larger than the budget goes alone";
  }
  EXPECT_EQ(seen, (std::multiset<size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(batches_by_length({}, 12, 3).empty());
}

}  // namespace
}  // namespace memsizer::engine
