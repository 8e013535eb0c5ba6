#pragma once

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/matmul.h"

// A plain, readable twin of each kernel of kernels/rows.h, kernels/memory.h and kernels/matmul.h, with the
// same signature: the definition the fast ones are tested against.
namespace memsizer::kernels::scalar {

void matmul(const PackedMatrix& weight, ConstRows x, int64_t count, Rows out, const Epilogue& epilogue = {});

void attention(const AttentionTask& task, int64_t first_head, int64_t end_head, float* scratch);

// out = (x - mean) / sqrt(variance + epsilon) * weight + bias over `width` numbers. weight and bias may be
// null; out may be x.
void layer_norm(const float* x, const float* weight, const float* bias, int64_t width, float* out);

// out = layer_norm(x + y); out may be x or y.
void add_layer_norm(const float* x, const float* y, const float* weight, const float* bias, int64_t width,
                    float* out);

// out = x + y; out may be either.
void add(const float* x, const float* y, int64_t width, float* out);

// out[j] = scale / heads * sum over heads of softmax(logits[head])[j]: logits [heads, slots], out [slots].
// The logits are overwritten.
void mean_softmax(float* logits, int64_t heads, int64_t slots, float scale, float* out);

// x = softmax(x) over `width` numbers.
void softmax(float* x, int64_t width);

// Softmax over rows, column by column: x [rows, width], whose rows begin `stride` numbers apart; rows > 0.
void column_softmax(float* x, int64_t rows, int64_t stride, int64_t width);

// x = log(softmax(x)) + shift.
void log_softmax(float* x, int64_t width, float shift);

float dot(const float* x, const float* y, int64_t width);

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

// x = x * scale.
void scale(float* x, int64_t width, float factor);

// Elementwise: elu(x) + 1; exp(x); sin and cos of each angle, sines first, times `factor` (out [2 * width]);
// relu(x). out may be x (but for sin_cos).
void elu_plus_one(const float* x, int64_t width, float* out);
void exponential(const float* x, int64_t width, float* out);
void sin_cos(const float* angles, int64_t width, float factor, float* out);
void sigmoid(const float* x, int64_t width, float* out);
void relu(const float* x, int64_t width, float* out);

// out = x * gate * sigmoid(gate); out may be either.
void silu_gate(const float* x, const float* gate, int64_t width, float* out);

}  // namespace memsizer::kernels::scalar
