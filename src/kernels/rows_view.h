#pragma once

#include <cstdint>

namespace memsizer::kernels {

// Rows of numbers in memory: row i begins at data + i * stride.
struct ConstRows {
  const float* data = nullptr;
  int64_t stride = 0;
};
struct Rows {
  float* data = nullptr;
  int64_t stride = 0;
};

}  // namespace memsizer::kernels
