#pragma once

#include <cstdint>
#include <span>

namespace memsizer::runtime {

// Sequences of different lengths laid one after the other, without padding: sequence i is tokens
// [begin(i), end(i)).
struct Ragged {
  std::span<const int64_t> offsets;  // one more than there are sequences, from 0 to the number of tokens

  int64_t sequences() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t tokens() const { return offsets.back(); }
  int64_t begin(int64_t i) const { return offsets[i]; }
  int64_t end(int64_t i) const { return offsets[i + 1]; }
  int64_t length(int64_t i) const { return end(i) - begin(i); }
};

}  // namespace memsizer::runtime
