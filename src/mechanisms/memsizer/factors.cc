#include "mechanisms/memsizer/factors.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/modules.h"
#include "nn/simd.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

struct Widths {
  int64_t heads;
  int64_t groups;
  int64_t mean_groups;
  int64_t slots;
  int64_t dim;

  int64_t group_heads() const { return heads / groups; }
  int64_t sum_groups() const { return groups - mean_groups; }
  int64_t logits() const { return heads * slots; }
  int64_t left() const { return groups * slots; }
  int64_t total() const { return logits() + left() + dim; }
  int64_t norms() const { return sum_groups() + 1; }  // layer norms per row: left ones, then the right one
};

constexpr double kLayerNormEpsilon = 1e-5;

template <typename T>
struct Moments {
  T mean;
  T inverse_deviation;
};

template <typename T>
[[gnu::always_inline]] inline Moments<T> moments(const T* x, int64_t size) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < size; ++i) sum += x[i];
  const T mean = sum / static_cast<T>(size);
  T squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < size; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const T variance = squares / static_cast<T>(size);
  return {mean, T(1) / std::sqrt(variance + static_cast<T>(kLayerNormEpsilon))};
}

template <typename T>
[[gnu::always_inline]] inline Moments<T> normalise(const T* x, int64_t size, const T* weight, const T* bias,
                                                   T* out) {
  const Moments<T> m = moments(x, size);
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) out[i] = (x[i] - m.mean) * m.inverse_deviation * weight[i] + bias[i];
  return m;
}

// Gradient of normalise; adds to the gradients of weight and bias.
template <typename T>
[[gnu::always_inline]] inline void normalise_backward(const T* x, int64_t size, const T* weight, Moments<T> m,
                                                      const T* d_out, T* d_x, T* d_weight, T* d_bias) {
  T sum = 0;
  T sum_hat = 0;
#pragma omp simd reduction(+ : sum, sum_hat)
  for (int64_t i = 0; i < size; ++i) {
    const T hat = (x[i] - m.mean) * m.inverse_deviation;
    const T g = d_out[i] * weight[i];
    d_weight[i] += d_out[i] * hat;
    d_bias[i] += d_out[i];
    sum += g;
    sum_hat += g * hat;
  }
  const T mean_g = sum / static_cast<T>(size);
  const T mean_g_hat = sum_hat / static_cast<T>(size);
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) {
    const T hat = (x[i] - m.mean) * m.inverse_deviation;
    d_x[i] = m.inverse_deviation * (d_out[i] * weight[i] - mean_g - hat * mean_g_hat);
  }
}

// weights[i, j] = softmax over j of logits[i, j].
template <typename T>
[[gnu::always_inline]] inline void softmax_rows(const T* logits, int64_t rows, int64_t slots, T* weights) {
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = logits + i * slots;
    T highest = row[0];
#pragma omp simd reduction(max : highest)
    for (int64_t j = 1; j < slots; ++j) highest = std::max(highest, row[j]);
#pragma omp simd
    for (int64_t j = 0; j < slots; ++j) weights[i * slots + j] = row[j] - highest;
  }
  const int64_t count = rows * slots;
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) weights[i] = fast_exp(weights[i]);
  for (int64_t i = 0; i < rows; ++i) {
    T* row = weights + i * slots;
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < slots; ++j) sum += row[j];
    const T inverse = T(1) / sum;
#pragma omp simd
    for (int64_t j = 0; j < slots; ++j) row[j] *= inverse;
  }
}

// d_logits = p o (g - p . g), where d_logits holds g.
template <typename T>
[[gnu::always_inline]] inline void softmax_backward(const T* p, int64_t slots, T* d_logits) {
  T dot = 0;
#pragma omp simd reduction(+ : dot)
  for (int64_t j = 0; j < slots; ++j) dot += p[j] * d_logits[j];
#pragma omp simd
  for (int64_t j = 0; j < slots; ++j) d_logits[j] = p[j] * (d_logits[j] - dot);
}

// What each weight of a head counts in its group's address.
template <typename T>
[[gnu::always_inline]] inline T address_factor(const Widths& widths, int64_t group, T scale) {
  return (group < widths.sum_groups() ? scale : T(1)) / static_cast<T>(widths.group_heads());
}

template <typename T>
struct ForwardRows {
  Widths widths;
  const T* projected;
  const T* scale;
  const T* mask;  // or null
  const T* left_weight;
  const T* left_bias;
  const T* right_weight;
  const T* right_bias;
  T* address;
  T* left;
  T* right;
  Moments<T>* moments;  // of each layer norm of each row
};

template <typename T>
[[gnu::always_inline]] inline void forward_rows(const ForwardRows<T>& io, int64_t begin, int64_t end,
                                                T* weights) {
  const Widths& w = io.widths;
  for (int64_t row = begin; row < end; ++row) {
    const T* y = io.projected + row * w.total();
    softmax_rows(y, w.heads, w.slots, weights);
    const T* mask = io.mask ? io.mask + row * w.logits() : nullptr;
    if (mask) {
#pragma omp simd
      for (int64_t i = 0; i < w.logits(); ++i) weights[i] *= mask[i];
    }
    T* addresses = io.address + row * w.left();
    std::fill(addresses, addresses + w.left(), T(0));
    for (int64_t h = 0; h < w.heads; ++h) {
      const int64_t group = h / w.group_heads();
      T* address = addresses + group * w.slots;
      const T factor = address_factor(w, group, io.scale[row]);
#pragma omp simd
      for (int64_t j = 0; j < w.slots; ++j) address[j] += weights[h * w.slots + j] * factor;
    }
    y += w.logits();
    Moments<T>* moments = io.moments + row * w.norms();
    T* left = io.left + row * w.left();
    for (int64_t group = 0; group < w.sum_groups(); ++group) {
      *moments++ = normalise(y, w.slots, io.left_weight, io.left_bias, left);
      y += w.slots;
      left += w.slots;
    }
    softmax_rows(y, w.mean_groups, w.slots, left);
    y += w.mean_groups * w.slots;
    *moments = normalise(y, w.dim, io.right_weight, io.right_bias, io.right + row * w.dim);
  }
}

template <typename T>
struct BackwardRows {
  Widths widths;
  const T* projected;
  const T* scale;
  const T* mask;  // or null
  const T* left_weight;
  const T* right_weight;
  const Moments<T>* moments;
  const T* d_address;
  const T* d_left;
  const T* d_right;
  T* d_projected;
};

// Gradients of the layer norms' weights and biases, summed over a block of rows: [slots, slots, dim, dim].
template <typename T>
[[gnu::always_inline]] inline void backward_rows(const BackwardRows<T>& io, int64_t begin, int64_t end,
                                                 T* weights, T* sums) {
  const Widths& w = io.widths;
  T* d_left_weight = sums;
  T* d_left_bias = d_left_weight + w.slots;
  T* d_right_weight = d_left_bias + w.slots;
  T* d_right_bias = d_right_weight + w.dim;
  for (int64_t row = begin; row < end; ++row) {
    const T* y = io.projected + row * w.total();
    T* d_y = io.d_projected + row * w.total();
    softmax_rows(y, w.heads, w.slots, weights);
    const T* mask = io.mask ? io.mask + row * w.logits() : nullptr;
    for (int64_t h = 0; h < w.heads; ++h) {
      const int64_t group = h / w.group_heads();
      const T* d_address = io.d_address + row * w.left() + group * w.slots;
      const T factor = address_factor(w, group, io.scale[row]);
      T* d_logits = d_y + h * w.slots;
#pragma omp simd
      for (int64_t j = 0; j < w.slots; ++j)
        d_logits[j] = d_address[j] * factor * (mask ? mask[h * w.slots + j] : T(1));
      softmax_backward(weights + h * w.slots, w.slots, d_logits);
    }
    y += w.logits();
    d_y += w.logits();
    const Moments<T>* moments = io.moments + row * w.norms();
    const T* d_left = io.d_left + row * w.left();
    for (int64_t group = 0; group < w.sum_groups(); ++group) {
      normalise_backward(y, w.slots, io.left_weight, *moments++, d_left, d_y, d_left_weight, d_left_bias);
      y += w.slots;
      d_y += w.slots;
      d_left += w.slots;
    }
    softmax_rows(y, w.mean_groups, w.slots, weights);
    std::copy(d_left, d_left + w.mean_groups * w.slots, d_y);
    for (int64_t i = 0; i < w.mean_groups; ++i)
      softmax_backward(weights + i * w.slots, w.slots, d_y + i * w.slots);
    y += w.mean_groups * w.slots;
    d_y += w.mean_groups * w.slots;
    normalise_backward(y, w.dim, io.right_weight, *moments, io.d_right + row * w.dim, d_y, d_right_weight,
                       d_right_bias);
  }
}

MEMSIZER_SIMD_CLONES void run_rows(const ForwardRows<float>& io, int64_t begin, int64_t end, float* weights) {
  forward_rows(io, begin, end, weights);
}
MEMSIZER_SIMD_CLONES void run_rows(const BackwardRows<float>& io, int64_t begin, int64_t end, float* weights,
                                   float* sums) {
  backward_rows(io, begin, end, weights, sums);
}
void run_rows(const ForwardRows<double>& io, int64_t begin, int64_t end, double* weights) {
  forward_rows(io, begin, end, weights);
}
void run_rows(const BackwardRows<double>& io, int64_t begin, int64_t end, double* weights, double* sums) {
  backward_rows(io, begin, end, weights, sums);
}

// Sums over rows are taken in this many blocks whatever the number of threads, so that they are the same for
// any.
constexpr int64_t kBlocks = 16;

Widths widths_of(const MemsizerFactorsInput& input) {
  const int64_t slots = input.left_weight.size(0);
  const int64_t dim = input.right_weight.size(0);
  const int64_t heads = (input.projected.size(2) - dim) / slots - input.groups;
  return {heads, input.groups, input.mean_groups, slots, dim};
}

template <typename T>
const T* read(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

class MemsizerFactorsFunction : public torch::autograd::Function<MemsizerFactorsFunction> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& projected, const Tensor& left_weight,
                                                const Tensor& left_bias, const Tensor& right_weight,
                                                const Tensor& right_bias, const Tensor& scale,
                                                const c10::optional<Tensor>& given_mask, int64_t groups,
                                                int64_t mean_groups) {
    const Tensor mask = given_mask.value_or(Tensor());
    const MemsizerFactorsInput input{.projected = projected.contiguous(),
                                     .groups = groups,
                                     .mean_groups = mean_groups,
                                     .scale = scale,
                                     .mask = mask,
                                     .left_weight = left_weight,
                                     .left_bias = left_bias,
                                     .right_weight = right_weight,
                                     .right_bias = right_bias};
    const Widths widths = widths_of(input);
    const int64_t time = projected.size(0);
    const int64_t batch = projected.size(1);
    const Tensor address = at::empty({time, batch, widths.left()}, projected.options());
    const Tensor left = at::empty({time, batch, widths.left()}, projected.options());
    const Tensor right = at::empty({time, batch, widths.dim}, projected.options());
    const Tensor moments = at::empty({time * batch, 2 * widths.norms()}, projected.options());
    AT_DISPATCH_FLOATING_TYPES(projected.scalar_type(), "memsizer_factors", [&] {
      const ForwardRows<scalar_t> io{widths,
                                     read<scalar_t>(input.projected),
                                     read<scalar_t>(scale),
                                     read<scalar_t>(mask),
                                     read<scalar_t>(left_weight),
                                     read<scalar_t>(left_bias),
                                     read<scalar_t>(right_weight),
                                     read<scalar_t>(right_bias),
                                     address.data_ptr<scalar_t>(),
                                     left.data_ptr<scalar_t>(),
                                     right.data_ptr<scalar_t>(),
                                     reinterpret_cast<Moments<scalar_t>*>(moments.data_ptr<scalar_t>())};
      at::parallel_for(0, time * batch, kRowGrain, [&](int64_t begin, int64_t end) {
        std::vector<scalar_t> weights(std::max(widths.logits(), widths.left()));
        run_rows(io, begin, end, weights.data());
      });
    });
    context->save_for_backward({input.projected, scale, mask, left_weight, right_weight, moments});
    context->saved_data["groups"] = groups;
    context->saved_data["mean_groups"] = mean_groups;
    return {address, left, right};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor& projected = saved[0];
    const MemsizerFactorsInput input{.projected = projected,
                                     .groups = context->saved_data["groups"].toInt(),
                                     .mean_groups = context->saved_data["mean_groups"].toInt(),
                                     .scale = saved[1],
                                     .mask = saved[2],
                                     .left_weight = saved[3],
                                     .left_bias = {},
                                     .right_weight = saved[4],
                                     .right_bias = {}};
    const Widths widths = widths_of(input);
    for (Tensor& gradient : gradients) gradient = gradient.contiguous();
    const Tensor d_projected = at::empty_like(projected);
    const Tensor sums = at::zeros({kBlocks, 2 * (widths.slots + widths.dim)}, projected.options());
    const int64_t rows = projected.size(0) * projected.size(1);
    AT_DISPATCH_FLOATING_TYPES(projected.scalar_type(), "memsizer_factors_backward", [&] {
      const BackwardRows<scalar_t> io{
          widths,
          read<scalar_t>(projected),
          read<scalar_t>(input.scale),
          read<scalar_t>(input.mask),
          read<scalar_t>(input.left_weight),
          read<scalar_t>(input.right_weight),
          reinterpret_cast<const Moments<scalar_t>*>(saved[5].data_ptr<scalar_t>()),
          read<scalar_t>(gradients[0]),
          read<scalar_t>(gradients[1]),
          read<scalar_t>(gradients[2]),
          d_projected.data_ptr<scalar_t>()};
      at::parallel_for(0, kBlocks, 1, [&](int64_t first, int64_t last) {
        std::vector<scalar_t> weights(std::max(widths.logits(), widths.left()));
        for (int64_t block = first; block < last; ++block) {
          run_rows(io, block * rows / kBlocks, (block + 1) * rows / kBlocks, weights.data(),
                   sums.data_ptr<scalar_t>() + block * sums.size(1));
        }
      });
    });
    const std::vector<Tensor> parts =
        sums.sum(0).split_with_sizes({widths.slots, widths.slots, widths.dim, widths.dim});
    return {d_projected, parts[0], parts[1], parts[2], parts[3], Tensor(), Tensor(), Tensor(), Tensor()};
  }

 private:
  static constexpr int64_t kRowGrain = 64;
};

}  // namespace

MemsizerFactors memsizer_factors_plain(const MemsizerFactorsInput& input) {
  const Widths w = widths_of(input);
  const auto parts = input.projected.split_with_sizes({w.logits(), w.left(), w.dim}, -1);
  const int64_t time = input.projected.size(0);
  const int64_t batch = input.projected.size(1);
  Tensor weights = parts[0].reshape({time, batch, w.heads, w.slots}).softmax(-1);
  if (input.mask.defined()) weights = weights * input.mask.view_as(weights);
  const Tensor address = weights.view({time, batch, w.groups, w.group_heads(), w.slots}).mean(3);
  const Tensor left = parts[1].reshape({time, batch, w.groups, w.slots});
  // The groups that sum, then those that take means.
  const auto halves = [&](const Tensor& x) { return x.split_with_sizes({w.sum_groups(), w.mean_groups}, 2); };
  const auto addresses = halves(address);
  const auto lefts = halves(left);
  const Tensor scale = input.scale.unsqueeze(2).unsqueeze(3);
  return {at::cat({addresses[0] * scale, addresses[1]}, 2).flatten(2),
          at::cat({at::layer_norm(lefts[0], {w.slots}, input.left_weight, input.left_bias, kLayerNormEpsilon),
                   lefts[1].softmax(-1)},
                  2)
              .flatten(2),
          at::layer_norm(parts[2], {w.dim}, input.right_weight, input.right_bias, kLayerNormEpsilon)};
}

MemsizerFactors memsizer_factors(const MemsizerFactorsInput& input) {
  const auto type = input.projected.scalar_type();
  if (!input.projected.is_cpu() || (type != at::kFloat && type != at::kDouble))
    return memsizer_factors_plain(input);
  const c10::optional<Tensor> mask = input.mask.defined() ? c10::optional<Tensor>(input.mask) : c10::nullopt;
  const auto parts = MemsizerFactorsFunction::apply(
      input.projected, input.left_weight, input.left_bias, input.right_weight, input.right_bias,
      input.scale.contiguous(), mask, input.groups, input.mean_groups);
  return {parts[0], parts[1], parts[2]};
}

}  // namespace memsizer::nn
