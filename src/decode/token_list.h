#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace memsizer::decode {

// The tokens that a request chooses among, in rising order; the special tokens are the first of them. Null is
// the whole vocabulary.
using TokenList = std::shared_ptr<const std::vector<int32_t>>;

// Rows side by side, of one request.
struct RowGroup {
  size_t rows = 1;
  TokenList among = nullptr;
};

}  // namespace memsizer::decode
