#include "kernels/scalar.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/rows.h"

namespace memsizer::kernels::scalar {
namespace {

float applied(Unary unary, float x) {
  switch (unary) {
    case Unary::None:
      return x;
    case Unary::Relu:
      return std::max(x, 0.0F);
    case Unary::Gelu:
      return 0.5F * x * (1.0F + std::erf(x * std::sqrt(0.5F)));
    case Unary::Sigmoid:
      return 1.0F / (1.0F + std::exp(-x));
  }
  return x;
}

}  // namespace

void matmul(const PackedMatrix& weight, ConstRows x, int64_t count, Rows out, const Epilogue& epilogue) {
  std::vector<float> row(static_cast<size_t>(weight.columns()));
  for (int64_t r = 0; r < weight.rows(); ++r) {
    weight.copy_row(r, row.data());
    for (int64_t i = 0; i < count; ++i) {
      const float* in = x.data + i * x.stride;
      double sum = epilogue.bias ? epilogue.bias[r] : 0.0;
      for (int64_t c = 0; c < weight.columns(); ++c) sum += static_cast<double>(row[c]) * in[c];
      const float added = epilogue.add.data ? epilogue.add.data[i * epilogue.add.stride + r] : 0.0F;
      out.data[i * out.stride + r] = applied(epilogue.unary, static_cast<float>(sum)) + added;
    }
  }
}

void attention(const AttentionTask& task, int64_t first_head, int64_t end_head, float* scratch) {
  const auto token = [&](int64_t i) { return (task.tokens ? task.tokens[i] : i) * task.stride; };
  for (int64_t q = 0; q < task.count; ++q) {
    const int64_t visible = task.visible + q * task.visible_more;
    for (int64_t head = first_head; head < end_head; ++head) {
      const int64_t offset = head * task.head_dim;
      const float* query = task.queries.data + q * task.queries.stride + offset;
      float* out = task.out.data + q * task.out.stride + offset;
      for (int64_t i = 0; i < visible; ++i)
        scratch[i] = dot(query, task.keys + token(i) + offset, task.head_dim);
      softmax(scratch, visible);
      std::fill(out, out + task.head_dim, 0.0F);
      for (int64_t i = 0; i < visible; ++i) {
        const float* value = task.values + token(i) + offset;
        for (int64_t c = 0; c < task.head_dim; ++c) out[c] += scratch[i] * value[c];
      }
    }
  }
}

void layer_norm(const float* x, const float* weight, const float* bias, int64_t width, float* out) {
  double sum = 0.0;
  for (int64_t i = 0; i < width; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(width);
  double squares = 0.0;
  for (int64_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(width) + kLayerNormEpsilon);
  for (int64_t i = 0; i < width; ++i) {
    const auto normal = static_cast<float>((x[i] - mean) * inverse);
    out[i] = normal * (weight ? weight[i] : 1.0F) + (bias ? bias[i] : 0.0F);
  }
}

void add_layer_norm(const float* x, const float* y, const float* weight, const float* bias, int64_t width,
                    float* out) {
  add(x, y, width, out);
  layer_norm(out, weight, bias, width, out);
}

void add(const float* x, const float* y, int64_t width, float* out) {
  for (int64_t i = 0; i < width; ++i) out[i] = x[i] + y[i];
}

void mean_softmax(float* logits, int64_t heads, int64_t slots, float scale, float* out) {
  std::fill(out, out + slots, 0.0F);
  for (int64_t h = 0; h < heads; ++h) {
    softmax(logits + h * slots, slots);
    for (int64_t j = 0; j < slots; ++j) out[j] += logits[h * slots + j];
  }
  for (int64_t j = 0; j < slots; ++j) out[j] *= scale / static_cast<float>(heads);
}

void softmax(float* x, int64_t width) {
  const float largest = *std::max_element(x, x + width);
  float sum = 0.0F;
  for (int64_t i = 0; i < width; ++i) {
    x[i] = std::exp(x[i] - largest);
    sum += x[i];
  }
  for (int64_t i = 0; i < width; ++i) x[i] /= sum;
}

void column_softmax(float* x, int64_t rows, int64_t stride, int64_t width) {
  for (int64_t j = 0; j < width; ++j) {
    float most = x[j];
    for (int64_t i = 1; i < rows; ++i) most = std::max(most, x[i * stride + j]);
    float sum = 0.0F;
    for (int64_t i = 0; i < rows; ++i) {
      float& number = x[i * stride + j];
      number = std::exp(number - most);
      sum += number;
    }
    for (int64_t i = 0; i < rows; ++i) x[i * stride + j] /= sum;
  }
}

void log_softmax(float* x, int64_t width, float shift) {
  const float largest = *std::max_element(x, x + width);
  double sum = 0.0;
  for (int64_t i = 0; i < width; ++i) sum += std::exp(static_cast<double>(x[i]) - largest);
  const double minus = largest + std::log(sum) - shift;
  for (int64_t i = 0; i < width; ++i) x[i] = static_cast<float>(x[i] - minus);
}

float dot(const float* x, const float* y, int64_t width) {
  double sum = 0.0;
  for (int64_t i = 0; i < width; ++i) sum += static_cast<double>(x[i]) * y[i];
  return static_cast<float>(sum);
}

void memory_write(const float* left, const float* right, int64_t slots, int64_t width, float* memory,
                  int64_t stride) {
  for (int64_t j = 0; j < slots; ++j) {
    for (int64_t i = 0; i < width; ++i) memory[j * stride + i] += left[j] * right[i];
  }
}

void memory_read(const float* address, const float* memory, int64_t slots, int64_t width, int64_t stride,
                 float* out) {
  std::fill(out, out + width, 0.0F);
  for (int64_t j = 0; j < slots; ++j) {
    for (int64_t i = 0; i < width; ++i) out[i] += address[j] * memory[j * stride + i];
  }
}

void memory_step(const float* left, const float* right, const float* address, int64_t slots, int64_t width,
                 float* memory, int64_t stride, float* out) {
  memory_write(left, right, slots, width, memory, stride);
  memory_read(address, memory, slots, width, stride, out);
}

void memory_fading_step(float decay, const float* left, const float* right, const float* address,
                        int64_t slots, int64_t width, float* memory, int64_t stride, float* out) {
  for (int64_t j = 0; j < slots; ++j) scale(memory + j * stride, width, decay);
  memory_step(left, right, address, slots, width, memory, stride, out);
}

void convolution_step(const float* x, const float* weight, int64_t taps, int64_t seen, int64_t width,
                      float* ring, int64_t stride, float* out) {
  const int64_t rows = taps - 1;
  for (int64_t c = 0; c < width; ++c) {
    out[c] = x[c] + weight[c] * x[c];
    for (int64_t i = 1; i < taps; ++i)
      out[c] += weight[i * stride + c] * ring[(seen + rows - i) % rows * stride + c];
    if (rows > 0) ring[seen % rows * stride + c] = x[c];
  }
}

void scale(float* x, int64_t width, float factor) {
  for (int64_t i = 0; i < width; ++i) x[i] *= factor;
}

void elu_plus_one(const float* x, int64_t width, float* out) {
  for (int64_t i = 0; i < width; ++i) out[i] = x[i] > 0.0F ? x[i] + 1.0F : std::exp(x[i]);
}

void exponential(const float* x, int64_t width, float* out) {
  for (int64_t i = 0; i < width; ++i) out[i] = std::exp(x[i]);
}

void sin_cos(const float* angles, int64_t width, float factor, float* out) {
  for (int64_t i = 0; i < width; ++i) {
    out[i] = std::sin(angles[i]) * factor;
    out[width + i] = std::cos(angles[i]) * factor;
  }
}

void sigmoid(const float* x, int64_t width, float* out) {
  for (int64_t i = 0; i < width; ++i) out[i] = applied(Unary::Sigmoid, x[i]);
}

void relu(const float* x, int64_t width, float* out) {
  for (int64_t i = 0; i < width; ++i) out[i] = applied(Unary::Relu, x[i]);
}

void silu_gate(const float* x, const float* gate, int64_t width, float* out) {
  for (int64_t i = 0; i < width; ++i) out[i] = x[i] * gate[i] * applied(Unary::Sigmoid, gate[i]);
}

}  // namespace memsizer::kernels::scalar
