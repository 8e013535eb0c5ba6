#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace memsizer {

// How a field of a state grows.
enum class Growth { Fixed, PerTargetToken, PerSourceToken };

// One tensor of what a mechanism keeps of a sequence: for each sequence, or for each token of it.
struct StateField {
  std::string name;
  std::vector<int64_t> shape;
  DType type = DType::F32;
  Growth growth = Growth::Fixed;

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t size : shape) product *= size;
    return product;
  }
  int64_t bytes() const { return elements() * static_cast<int64_t>(dtype_bytes(type)); }
};

}  // namespace memsizer
