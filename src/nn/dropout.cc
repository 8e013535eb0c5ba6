#include "nn/dropout.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <stdexcept>

#include "nn/simd.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

// Blocks have random streams of their own, since the index inside a stream is a 32-bit number.
constexpr int64_t kBlock = 1 << 14;

struct Stream {
  uint32_t first;
  uint32_t second;
  uint32_t threshold;  // elements whose number lies below it are dropped
};

Stream stream_of(DropoutKey key, int64_t block) {
  uint64_t z = key.key + static_cast<uint64_t>(block) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ULL;
  z ^= z >> 32;
  return {static_cast<uint32_t>(z), static_cast<uint32_t>(z >> 32) | 1U,
          static_cast<uint32_t>(std::lround(key.probability * 4294967296.0 - 0.5))};
}

// A 32-bit integer hash of good avalanche, in operations that vectorise.
[[gnu::always_inline]] inline uint32_t mixed(uint32_t index, const Stream& stream) {
  uint32_t x = index * stream.second + stream.first;
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

// out = base + x * mask; null base is zero, null x is one.
template <typename T>
[[gnu::always_inline]] inline void block_of(const T* x, const T* base, T* out, int64_t size, Stream stream,
                                            T kept) {
  const auto factor = [&](int64_t i) {
    return mixed(static_cast<uint32_t>(i), stream) < stream.threshold ? T(0) : kept;
  };
  if (base) {
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) out[i] = base[i] + x[i] * factor(i);
  } else if (x) {
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) out[i] = x[i] * factor(i);
  } else {
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) out[i] = factor(i);
  }
}

MEMSIZER_SIMD_CLONES void block_kernel(const float* x, const float* base, float* out, int64_t size,
                                       Stream stream, float kept) {
  block_of(x, base, out, size, stream, kept);
}

MEMSIZER_SIMD_CLONES void block_kernel(const double* x, const double* base, double* out, int64_t size,
                                       Stream stream, double kept) {
  block_of(x, base, out, size, stream, kept);
}

template <typename T>
void all_blocks(const T* x, const T* base, T* out, int64_t size, DropoutKey key) {
  const T kept = static_cast<T>(1.0 / (1.0 - key.probability));
  at::parallel_for(0, (size + kBlock - 1) / kBlock, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t offset = block * kBlock;
      block_kernel(x ? x + offset : nullptr, base ? base + offset : nullptr, out + offset,
                   std::min(kBlock, size - offset), stream_of(key, block), kept);
    }
  });
}

template <typename T>
const T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

void compute(const Tensor& x, const Tensor& base, const Tensor& out, DropoutKey key) {
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "dropout", [&] {
    all_blocks(data_or_null<scalar_t>(x), data_or_null<scalar_t>(base), out.data_ptr<scalar_t>(), out.numel(),
               key);
  });
}

Tensor forward_of(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& base,
                  DropoutKey key) {
  context->saved_data["key"] = static_cast<int64_t>(key.key);
  context->saved_data["probability"] = key.probability;
  const Tensor dense = x.contiguous();
  Tensor out = at::empty_like(dense);
  compute(dense, base, out, key);
  return out;
}

Tensor backward_of(torch::autograd::AutogradContext* context, const Tensor& gradient) {
  const DropoutKey key{static_cast<uint64_t>(context->saved_data["key"].toInt()),
                       context->saved_data["probability"].toDouble()};
  const Tensor d_out = gradient.contiguous();
  Tensor d_x = at::empty_like(d_out);
  compute(d_out, {}, d_x, key);
  return d_x;
}

// Two functions, since LibTorch's take no undefined tensor.
class Dropped : public torch::autograd::Function<Dropped> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, DropoutKey key) {
    return forward_of(context, x, {}, key);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {backward_of(context, gradients[0]), {}};
  }
};

class AddDropped : public torch::autograd::Function<AddDropped> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& base,
                        DropoutKey key) {
    return forward_of(context, x, base.contiguous(), key);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {backward_of(context, gradients[0]), gradients[0], {}};
  }
};

}  // namespace

bool has_dropout_kernel(const Tensor& x) {
  return x.device().is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

Tensor dropped(const Tensor& x, const Tensor& base, DropoutKey key) {
  if (base.defined() && base.sizes() != x.sizes()) throw std::logic_error("dropout: base of another shape");
  return base.defined() ? AddDropped::apply(x, base, key) : Dropped::apply(x, key);
}

void fill_dropout_mask(const Tensor& mask, DropoutKey key) {
  compute({}, {}, mask, key);
}

}  // namespace memsizer::nn
