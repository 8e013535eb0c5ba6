#pragma once

#include <cstdint>

#include "kernels/packed_matrix.h"
#include "kernels/rows_view.h"
#include "kernels/team.h"

namespace memsizer::kernels {

enum class Unary { None, Relu, Gelu, Sigmoid };

// What happens to a product before it is stored.
struct Epilogue {
  const float* bias = nullptr;  // [weight rows]
  Unary unary = Unary::None;
  ConstRows add;  // added last, if its data are there; may be the output itself
};

// out[i] = unary(x[i] W^T + bias) + add[i] for `count` rows x[i] of W's columns. A row's result does not
// depend on the rows beside it nor on the team's size: each sum is taken in the order of the columns.
// I8 weights: each x[i] is rounded to bytes with a scale of its own (quantized_rows.h), sums are exact in 32
// bits.
void matmul(Team& team, const PackedMatrix& weight, ConstRows x, int64_t count, Rows out,
            const Epilogue& epilogue = {});

}  // namespace memsizer::kernels
