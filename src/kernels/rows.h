#pragma once

#include <cstdint>

// Kernels over single rows of numbers; no row's result depends on another's. Pointers may not overlap unless
// a comment says so. The scalar twins of all of them are in kernels/scalar.h.
namespace memsizer::kernels {

inline constexpr float kLayerNormEpsilon = 1e-5F;

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

// The place of the largest of `width` > 0 numbers, the first if there are several; 0 if a NaN comes first.
int64_t argmax(const float* x, int64_t width);

float dot(const float* x, const float* y, int64_t width);

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

}  // namespace memsizer::kernels
