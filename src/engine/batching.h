#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace memsizer::engine {

// Cuts inputs into batches that cost about the same: sorted by length, longest first, at most `batch_tokens`
// tokens and `batch_rows` inputs each (at least one). Indices of inputs.
std::vector<std::vector<size_t>> batches_by_length(std::span<const size_t> lengths, int64_t batch_tokens,
                                                   int64_t batch_rows);

}  // namespace memsizer::engine
