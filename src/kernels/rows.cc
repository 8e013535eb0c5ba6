#include "kernels/rows.h"

#include "kernels/scalar.h"

namespace memsizer::kernels {

void layer_norm(const float* x, const float* weight, const float* bias, int64_t width, float* out) {
  scalar::layer_norm(x, weight, bias, width, out);
}

void add_layer_norm(const float* x, const float* y, const float* weight, const float* bias, int64_t width,
                    float* out) {
  scalar::add_layer_norm(x, y, weight, bias, width, out);
}

void add(const float* x, const float* y, int64_t width, float* out) {
  scalar::add(x, y, width, out);
}

void mean_softmax(float* logits, int64_t heads, int64_t slots, float scale, float* out) {
  scalar::mean_softmax(logits, heads, slots, scale, out);
}

void softmax(float* x, int64_t width) {
  scalar::softmax(x, width);
}

float dot(const float* x, const float* y, int64_t width) {
  return scalar::dot(x, y, width);
}

void memory_write(const float* left, const float* right, int64_t slots, int64_t width, float* memory,
                  int64_t stride) {
  scalar::memory_write(left, right, slots, width, memory, stride);
}

void memory_read(const float* address, const float* memory, int64_t slots, int64_t width, int64_t stride,
                 float* out) {
  scalar::memory_read(address, memory, slots, width, stride, out);
}

void memory_step(const float* left, const float* right, const float* address, int64_t slots, int64_t width,
                 float* memory, int64_t stride, float* out) {
  scalar::memory_step(left, right, address, slots, width, memory, stride, out);
}

void scale(float* x, int64_t width, float factor) {
  scalar::scale(x, width, factor);
}

void elu_plus_one(const float* x, int64_t width, float* out) {
  scalar::elu_plus_one(x, width, out);
}

void exponential(const float* x, int64_t width, float* out) {
  scalar::exponential(x, width, out);
}

void sin_cos(const float* angles, int64_t width, float factor, float* out) {
  scalar::sin_cos(angles, width, factor, out);
}

void sigmoid(const float* x, int64_t width, float* out) {
  scalar::sigmoid(x, width, out);
}

void relu(const float* x, int64_t width, float* out) {
  scalar::relu(x, width, out);
}

}  // namespace memsizer::kernels
