#pragma once

#include <cstdint>

#include "kernels/packed_matrix.h"
#include "kernels/team.h"

namespace memsizer::kernels {

enum class Unary { None, Relu, Gelu, Sigmoid };

// Rows of numbers in memory: row i begins at data + i * stride.
struct ConstRows {
  const float* data = nullptr;
  int64_t stride = 0;
};
struct Rows {
  float* data = nullptr;
  int64_t stride = 0;
};

// What happens to a product before it is stored.
struct Epilogue {
  const float* bias = nullptr;  // [weight rows]
  Unary unary = Unary::None;
  ConstRows add;  // added last, if its data are there; may be the output itself
};

// out[i] = unary(x[i] W^T + bias) + add[i] for `count` rows x[i] of W's columns. A row's result does not
// depend on the rows beside it nor on the team's size: each sum is taken in the order of the columns.
// I8 weights: each x[i] is rounded to 12 bits with a scale of its own, sums are exact in 32 bits.
void matmul(Team& team, const PackedMatrix& weight, ConstRows x, int64_t count, Rows out,
            const Epilogue& epilogue = {});

}  // namespace memsizer::kernels
