#include "nn/decay_scan.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace memsizer::nn {
namespace {

using at::Tensor;

// Columns (batch times dim) are independent; a block of them fits the cache while time runs.
constexpr int64_t kColumnGrain = 256;

template <typename T>
void scan(const T* decay, const T* input, const T* initial, T* cells, int64_t time, int64_t columns) {
  at::parallel_for(0, columns, kColumnGrain, [&](int64_t begin, int64_t end) {
    const T* previous = initial;
    for (int64_t t = 0; t < time; ++t) {
      const int64_t row = t * columns;
      for (int64_t i = begin; i < end; ++i) cells[row + i] = decay[row + i] * previous[i] + input[row + i];
      previous = cells + row;
    }
  });
}

// With g_t the gradient that reaches c_t: g_t = d_cells_t + decay_{t+1} o g_{t+1}; it is the input's gradient
// as well.
template <typename T>
void scan_backward(const T* decay, const T* cells, const T* initial, const T* d_cells, T* d_decay, T* d_input,
                   T* d_initial, int64_t time, int64_t columns) {
  at::parallel_for(0, columns, kColumnGrain, [&](int64_t begin, int64_t end) {
    std::fill(d_initial + begin, d_initial + end, T(0));
    for (int64_t t = time - 1; t >= 0; --t) {
      const int64_t row = t * columns;
      const T* previous = t > 0 ? cells + row - columns : initial;
      for (int64_t i = begin; i < end; ++i) {
        const T gradient = d_cells[row + i] + d_initial[i];
        d_input[row + i] = gradient;
        d_decay[row + i] = gradient * previous[i];
        d_initial[i] = gradient * decay[row + i];
      }
    }
  });
}

class DecayScanFunction : public torch::autograd::Function<DecayScanFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& given_decay,
                        const Tensor& given_input, const Tensor& given_initial) {
    const Tensor decay = given_decay.contiguous();
    const Tensor input = given_input.contiguous();
    const Tensor initial = given_initial.contiguous();
    const Tensor cells = at::empty_like(input);
    AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "decay_scan", [&] {
      scan(decay.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(), initial.data_ptr<scalar_t>(),
           cells.data_ptr<scalar_t>(), input.size(0), initial.numel());
    });
    context->save_for_backward({decay, cells, initial});
    return cells;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor& decay = saved[0];
    const Tensor& cells = saved[1];
    const Tensor& initial = saved[2];
    const Tensor d_cells = gradients[0].contiguous();
    const Tensor d_decay = at::empty_like(decay);
    const Tensor d_input = at::empty_like(decay);
    const Tensor d_initial = at::empty_like(initial);
    AT_DISPATCH_FLOATING_TYPES(decay.scalar_type(), "decay_scan_backward", [&] {
      scan_backward(decay.data_ptr<scalar_t>(), cells.data_ptr<scalar_t>(), initial.data_ptr<scalar_t>(),
                    d_cells.data_ptr<scalar_t>(), d_decay.data_ptr<scalar_t>(), d_input.data_ptr<scalar_t>(),
                    d_initial.data_ptr<scalar_t>(), decay.size(0), initial.numel());
    });
    return {d_decay, d_input, d_initial};
  }
};

// The same recurrence in plain tensor operations, for devices without a kernel of our own.
Tensor scan_by_steps(const Tensor& decay, const Tensor& input, const Tensor& initial) {
  std::vector<Tensor> cells;
  Tensor cell = initial;
  for (int64_t t = 0; t < input.size(0); ++t) {
    cell = decay[t] * cell + input[t];
    cells.push_back(cell);
  }
  return at::stack(cells);
}

}  // namespace

Tensor decay_scan(const Tensor& decay, const Tensor& input, const Tensor& initial) {
  const auto type = input.scalar_type();
  const bool ours = input.is_cpu() && (type == at::kFloat || type == at::kDouble);
  return ours ? DecayScanFunction::apply(decay, input, initial) : scan_by_steps(decay, input, initial);
}

}  // namespace memsizer::nn
