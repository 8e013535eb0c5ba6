#include "bench/zipf_list.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/special_tokens.h"

namespace memsizer::bench {

decode::TokenList zipf_list(Random& random, int64_t vocab, int64_t size) {
  std::set<int32_t> tokens;
  for (int32_t special = 0; special <= kUnk; ++special) tokens.insert(special);
  const auto words = static_cast<double>(vocab - kUnk - 1);
  while (std::ssize(tokens) < std::min(size, vocab)) {
    // Ranks whose logarithms are evenly spread.
    const double rank = std::pow(words + 1.0, random.uniform());
    tokens.insert(static_cast<int32_t>(kUnk + std::min(std::floor(rank), words)));
  }
  return std::make_shared<const std::vector<int32_t>>(tokens.begin(), tokens.end());
}

}  // namespace memsizer::bench
