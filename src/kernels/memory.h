#pragma once

#include <cstdint>

// Kernels over what a sequence keeps: memories of constant size that each token writes to and reads from. No
// result depends on the range of columns it is computed in. Pointers may not overlap. The scalar twins are in
// kernels/scalar.h.
namespace memsizer::kernels {

// A memory of k slots, row-major [slots, width] with `stride` numbers from slot to slot:
//   write        memory[j] += left[j] * right
//   read         out = sum over j of address[j] * memory[j]
//   step         both in one pass: write, then read
//   fading_step  memory *= decay, then a step, in one pass
void memory_write(const float* left, const float* right, int64_t slots, int64_t width, float* memory,
                  int64_t stride);
void memory_read(const float* address, const float* memory, int64_t slots, int64_t width, int64_t stride,
                 float* out);
void memory_step(const float* left, const float* right, const float* address, int64_t slots, int64_t width,
                 float* memory, int64_t stride, float* out);
void memory_fading_step(float decay, const float* left, const float* right, const float* address,
                        int64_t slots, int64_t width, float* memory, int64_t stride, float* out);

// A causal convolution of each channel, beside the channel itself, with the input of i tokens ago:
//   out = x + sum over i < taps of weight[i] * input[i]
// The inputs before x are a ring of taps - 1 rows, the one of token t in row t modulo their number; `seen`
// tokens came before x, which takes the row of the oldest. Rows of the ring and of the weights are `stride`
// apart.
void convolution_step(const float* x, const float* weight, int64_t taps, int64_t seen, int64_t width,
                      float* ring, int64_t stride, float* out);

}  // namespace memsizer::kernels
