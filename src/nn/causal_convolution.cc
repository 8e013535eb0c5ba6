#include "nn/causal_convolution.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "nn/init.h"
#include "nn/ring.h"
#include "nn/simd.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

struct Shape {
  int64_t time;
  int64_t batch;
  int64_t dim;
  int64_t taps;

  int64_t row() const { return batch * dim; }
};

// `padded` has taps - 1 rows of history before the inputs; taps is [taps, dim], the oldest first.
template <typename T>
[[gnu::always_inline]] inline void forward_rows(const Shape& shape, const T* padded, const T* taps, T* out,
                                                int64_t begin, int64_t end) {
  for (int64_t t = begin; t < end; ++t) {
    for (int64_t b = 0; b < shape.batch; ++b) {
      const int64_t at = b * shape.dim;
      T* to = out + t * shape.row() + at;
      const T* own = padded + (t + shape.taps - 1) * shape.row() + at;
      std::copy(own, own + shape.dim, to);
      for (int64_t i = 0; i < shape.taps; ++i) {
        const T* from = padded + (t + i) * shape.row() + at;
        const T* weight = taps + i * shape.dim;
#pragma omp simd
        for (int64_t c = 0; c < shape.dim; ++c) to[c] += weight[c] * from[c];
      }
    }
  }
}

// The gradient of the padded inputs at rows `begin` to `end`, which count from the oldest of the history.
template <typename T>
[[gnu::always_inline]] inline void backward_rows(const Shape& shape, const T* d_out, const T* taps,
                                                 T* d_padded, int64_t begin, int64_t end) {
  for (int64_t s = begin; s < end; ++s) {
    const int64_t own = s - (shape.taps - 1);  // the output at the same token
    for (int64_t b = 0; b < shape.batch; ++b) {
      const int64_t at = b * shape.dim;
      T* to = d_padded + s * shape.row() + at;
      if (own >= 0) {
        std::copy_n(d_out + own * shape.row() + at, shape.dim, to);
      } else {
        std::fill_n(to, shape.dim, T(0));
      }
      // Output t reads padded row t + i by tap i.
      for (int64_t i = 0; i < shape.taps; ++i) {
        const int64_t t = s - i;
        if (t < 0 || t >= shape.time) continue;
        const T* from = d_out + t * shape.row() + at;
        const T* weight = taps + i * shape.dim;
#pragma omp simd
        for (int64_t c = 0; c < shape.dim; ++c) to[c] += weight[c] * from[c];
      }
    }
  }
}

// Adds the gradient of the taps from outputs `begin` to `end` to d_taps [taps, dim].
template <typename T>
[[gnu::always_inline]] inline void backward_taps(const Shape& shape, const T* padded, const T* d_out,
                                                 T* d_taps, int64_t begin, int64_t end) {
  for (int64_t t = begin; t < end; ++t) {
    for (int64_t b = 0; b < shape.batch; ++b) {
      const int64_t at = b * shape.dim;
      const T* gradient = d_out + t * shape.row() + at;
      for (int64_t i = 0; i < shape.taps; ++i) {
        const T* from = padded + (t + i) * shape.row() + at;
        T* to = d_taps + i * shape.dim;
#pragma omp simd
        for (int64_t c = 0; c < shape.dim; ++c) to[c] += gradient[c] * from[c];
      }
    }
  }
}

MEMSIZER_SIMD_CLONES void run_forward(const Shape& shape, const float* padded, const float* taps, float* out,
                                      int64_t begin, int64_t end) {
  forward_rows(shape, padded, taps, out, begin, end);
}
void run_forward(const Shape& shape, const double* padded, const double* taps, double* out, int64_t begin,
                 int64_t end) {
  forward_rows(shape, padded, taps, out, begin, end);
}
MEMSIZER_SIMD_CLONES void run_backward(const Shape& shape, const float* d_out, const float* taps,
                                       float* d_padded, int64_t begin, int64_t end) {
  backward_rows(shape, d_out, taps, d_padded, begin, end);
}
void run_backward(const Shape& shape, const double* d_out, const double* taps, double* d_padded,
                  int64_t begin, int64_t end) {
  backward_rows(shape, d_out, taps, d_padded, begin, end);
}
MEMSIZER_SIMD_CLONES void run_backward_taps(const Shape& shape, const float* padded, const float* d_out,
                                            float* d_taps, int64_t begin, int64_t end) {
  backward_taps(shape, padded, d_out, d_taps, begin, end);
}
void run_backward_taps(const Shape& shape, const double* padded, const double* d_out, double* d_taps,
                       int64_t begin, int64_t end) {
  backward_taps(shape, padded, d_out, d_taps, begin, end);
}

class ConvolutionFunction : public torch::autograd::Function<ConvolutionFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& given_padded,
                        const Tensor& given_taps) {
    const Tensor padded = given_padded.contiguous();
    const Tensor taps = given_taps.contiguous();
    const Shape shape = shape_of(padded, taps);
    const Tensor out = at::empty({shape.time, shape.batch, shape.dim}, padded.options());
    AT_DISPATCH_FLOATING_TYPES(padded.scalar_type(), "causal_convolution", [&] {
      at::parallel_for(0, shape.time, kGrain, [&](int64_t begin, int64_t end) {
        run_forward(shape, padded.data_ptr<scalar_t>(), taps.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                    begin, end);
      });
    });
    context->save_for_backward({padded, taps});
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor& padded = saved[0];
    const Tensor& taps = saved[1];
    const Shape shape = shape_of(padded, taps);
    const Tensor d_out = gradients[0].contiguous();
    const Tensor d_padded = at::empty_like(padded);
    const Tensor sums = at::zeros({kBlocks, shape.taps, shape.dim}, taps.options());
    AT_DISPATCH_FLOATING_TYPES(padded.scalar_type(), "causal_convolution_backward", [&] {
      at::parallel_for(0, padded.size(0), kGrain, [&](int64_t begin, int64_t end) {
        run_backward(shape, d_out.data_ptr<scalar_t>(), taps.data_ptr<scalar_t>(),
                     d_padded.data_ptr<scalar_t>(), begin, end);
      });
      at::parallel_for(0, kBlocks, 1, [&](int64_t first, int64_t last) {
        for (int64_t block = first; block < last; ++block) {
          run_backward_taps(shape, padded.data_ptr<scalar_t>(), d_out.data_ptr<scalar_t>(),
                            sums[block].data_ptr<scalar_t>(), block * shape.time / kBlocks,
                            (block + 1) * shape.time / kBlocks);
        }
      });
    });
    return {d_padded, sums.sum(0)};
  }

 private:
  static constexpr int64_t kGrain = 8;
  // Sums over tokens are taken in this many blocks whatever the number of threads, so that they are the same
  // for any.
  static constexpr int64_t kBlocks = 8;

  static Shape shape_of(const Tensor& padded, const Tensor& taps) {
    return {padded.size(0) - taps.size(0) + 1, padded.size(1), padded.size(2), taps.size(0)};
  }
};

// The same in plain tensor operations, for devices and types without a kernel of our own.
Tensor convolution_by_steps(const Tensor& padded, const Tensor& taps) {
  const int64_t time = padded.size(0) - taps.size(0) + 1;
  Tensor out = padded.slice(0, taps.size(0) - 1);
  for (int64_t i = 0; i < taps.size(0); ++i) out = out + padded.slice(0, i, i + time) * taps[i];
  return out;
}

}  // namespace

Tensor causal_convolution(const Tensor& x, const Tensor& weight, const Tensor& history) {
  const Tensor taps = weight.t();
  const Tensor before =
      history.defined() ? history : at::zeros({taps.size(0) - 1, x.size(1), x.size(2)}, x.options());
  const Tensor padded = at::cat({before, x});
  const auto type = x.scalar_type();
  const bool ours = x.is_cpu() && (type == at::kFloat || type == at::kDouble);
  return ours ? ConvolutionFunction::apply(padded, taps) : convolution_by_steps(padded, taps);
}

InputConvolution::InputConvolution(torch::nn::Module& owner, int64_t dim, int64_t taps) {
  const auto weights = owner.register_module("convolution", std::make_shared<torch::nn::Module>());
  weight_ = weights->register_parameter("weight", at::empty({dim, taps}));
}

void InputConvolution::initialise() {
  fill(weight_, 0.0);
}

Tensor InputConvolution::forward(const Tensor& x, const TokenCounts& counts, MixerState& state,
                                 bool with_state) const {
  Tensor input = x;
  if (counts.skipped.defined()) input = input.masked_fill(counts.skipped.t().unsqueeze(2), 0.0);
  const int64_t kept = weight_.size(1) - 1;
  const Tensor history =
      counts.before.defined() && kept > 0 ? in_order(state["inputs"], counts.before) : Tensor();
  if (with_state && kept > 0) {
    const Tensor before = history.defined()
                              ? history
                              : at::zeros({kept, x.size(1), x.size(2)}, x.options().requires_grad(false));
    state["inputs"] = as_ring(at::cat({before, input}), kept, counts.after);
  }
  return causal_convolution(input, weight_, history);
}

}  // namespace memsizer::nn
