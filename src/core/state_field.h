#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace memsizer {

// How a field of a state grows.
enum class Growth { Fixed, PerTargetToken, PerSourceToken };

// One tensor of what a mechanism keeps of a sequence: of the whole of it, or of each token.
struct StateField {
  std::string name;
  std::vector<int64_t> shape;  // of one sequence or token; empty for a single number
  DType type = DType::F32;
  Growth growth = Growth::Fixed;

  int64_t elements() const {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  }
  int64_t bytes() const { return elements() * static_cast<int64_t>(dtype_bytes(type)); }

  // The number of tokens read so far, which a mechanism lists if its output depends on it. It is the same in
  // every layer, so generation keeps it once per row; a saved state has it where it is listed.
  bool counts_tokens() const { return type == DType::I64; }
};

}  // namespace memsizer
