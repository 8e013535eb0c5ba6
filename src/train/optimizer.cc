#include "train/optimizer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "nn/simd.h"

namespace memsizer::train {
namespace {

using at::Tensor;

constexpr int64_t kBlock = 1 << 14;

int64_t blocks_of(int64_t elements) {
  return (elements + kBlock - 1) / kBlock;
}

// Whether the loops below can take it; everything else goes through LibTorch's operations.
bool plain(const Tensor& tensor) {
  return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat && tensor.is_contiguous();
}

// kernel(offset, size) for each block of a tensor, in parallel.
template <typename Kernel>
void for_blocks(int64_t elements, const Kernel& kernel) {
  at::parallel_for(0, blocks_of(elements), 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      kernel(block * kBlock, std::min(kBlock, elements - block * kBlock));
    }
  });
}

MEMSIZER_SIMD_CLONES double sum_of_squares(const float* x, int64_t size) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < size; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

struct AdamFactors {
  float beta1, beta2, eps, scale, decay, rate;
};

MEMSIZER_SIMD_CLONES void adam_block(float* p, const float* g, float* m, float* v, int64_t size,
                                     AdamFactors f) {
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) {
    const float gradient = g[i] * f.scale;
    const float mean = f.beta1 * m[i] + (1.0F - f.beta1) * gradient;
    const float square = f.beta2 * v[i] + (1.0F - f.beta2) * gradient * gradient;
    m[i] = mean;
    v[i] = square;
    p[i] = p[i] * f.decay - f.rate * mean / (std::sqrt(square) + f.eps);
  }
}

struct NagFactors {
  float carried, kept, gradient, buffer_gradient, decay, scale;
};

MEMSIZER_SIMD_CLONES void nag_block(float* p, const float* g, float* b, int64_t size, NagFactors f) {
#pragma omp simd
  for (int64_t i = 0; i < size; ++i) {
    const float gradient = g[i] * f.scale;
    p[i] = p[i] * f.decay + f.carried * b[i] - f.gradient * gradient;
    b[i] = f.kept * b[i] - f.buffer_gradient * gradient;
  }
}

}  // namespace

NamedParameters trained_parameters(const torch::nn::Module& module) {
  NamedParameters parameters;
  for (const auto& item : module.named_parameters()) {
    if (item.value().requires_grad()) parameters.emplace_back(item.key(), item.value());
  }
  return parameters;
}

Optimizer::Optimizer(NamedParameters parameters, const OptimizerOptions& options) : options_(options) {
  const bool adam = options.kind == OptimizerKind::Adam;
  for (auto& [name, parameter] : parameters) {
    const Tensor zeros = at::zeros_like(parameter, at::TensorOptions().requires_grad(false));
    slots_.push_back({name, parameter, zeros, adam ? zeros.clone() : Tensor(), 0});
  }
}

double Optimizer::gradient_norm(double scale) const {
  double sum = 0.0;
  for (const Slot& slot : slots_) {
    const Tensor& gradient = slot.parameter.grad();
    if (!gradient.defined()) continue;
    if (!plain(gradient)) {
      sum += gradient.to(at::kDouble).square().sum().item<double>();
      continue;
    }
    const auto* data = gradient.data_ptr<float>();
    std::vector<double> parts(static_cast<size_t>(blocks_of(gradient.numel())));
    for_blocks(gradient.numel(), [&](int64_t offset, int64_t size) {
      parts[offset / kBlock] = sum_of_squares(data + offset, size);
    });
    for (const double part : parts) sum += part;
  }
  return std::sqrt(sum) * scale;
}

void Optimizer::step(double learning_rate, double scale, double norm) {
  const torch::NoGradGuard no_grad;
  if (options_.clip_norm > 0.0) scale *= std::min(1.0, options_.clip_norm / (norm + 1e-6));
  if (previous_rate_ < 0.0) previous_rate_ = learning_rate;
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    ++slot.updates;
    if (options_.kind == OptimizerKind::Adam) {
      step_adam(slot, learning_rate, scale);
    } else {
      step_nag(slot, learning_rate, scale);
    }
  }
  previous_rate_ = learning_rate;
}

void Optimizer::step_adam(Slot& slot, double learning_rate, double scale) {
  const auto t = static_cast<double>(slot.updates);
  // The reference adds eps to the root before the bias of the square is corrected.
  const double rate =
      learning_rate * std::sqrt(1.0 - std::pow(options_.beta2, t)) / (1.0 - std::pow(options_.beta1, t));
  const double decay = 1.0 - learning_rate * options_.weight_decay;
  const Tensor& g = slot.parameter.grad();
  Tensor& p = slot.parameter;
  if (plain(p) && plain(g)) {
    const AdamFactors factors{static_cast<float>(options_.beta1), static_cast<float>(options_.beta2),
                              static_cast<float>(options_.eps),   static_cast<float>(scale),
                              static_cast<float>(decay),          static_cast<float>(rate)};
    auto* parameter = p.data_ptr<float>();
    const auto* gradient = g.data_ptr<float>();
    auto* mean = slot.first.data_ptr<float>();
    auto* square = slot.second.data_ptr<float>();
    for_blocks(p.numel(), [&](int64_t at, int64_t size) {
      adam_block(parameter + at, gradient + at, mean + at, square + at, size, factors);
    });
    return;
  }
  const Tensor scaled = g * scale;
  slot.first.mul_(options_.beta1).add_(scaled, 1.0 - options_.beta1);
  slot.second.mul_(options_.beta2).addcmul_(scaled, scaled, 1.0 - options_.beta2);
  p.mul_(decay).addcdiv_(slot.first, slot.second.sqrt().add_(options_.eps), -rate);
}

void Optimizer::step_nag(Slot& slot, double learning_rate, double scale) {
  const double mu = options_.momentum;
  const double correction = previous_rate_ > 0.0 ? learning_rate / previous_rate_ : learning_rate;
  const double decay = 1.0 - learning_rate * options_.weight_decay;
  const double carried = mu * mu * correction;
  const double gradient_factor = (1.0 + mu) * learning_rate;
  const Tensor& g = slot.parameter.grad();
  Tensor& p = slot.parameter;
  if (plain(p) && plain(g)) {
    const NagFactors factors{static_cast<float>(carried),         static_cast<float>(mu * correction),
                             static_cast<float>(gradient_factor), static_cast<float>(learning_rate),
                             static_cast<float>(decay),           static_cast<float>(scale)};
    auto* parameter = p.data_ptr<float>();
    const auto* gradient = g.data_ptr<float>();
    auto* buffer = slot.first.data_ptr<float>();
    for_blocks(p.numel(), [&](int64_t at, int64_t size) {
      nag_block(parameter + at, gradient + at, buffer + at, size, factors);
    });
    return;
  }
  const Tensor scaled = g * scale;
  p.mul_(decay).add_(slot.first, carried).sub_(scaled, gradient_factor);
  slot.first.mul_(mu * correction).sub_(scaled, learning_rate);
}

void Optimizer::zero_gradients() {
  for (Slot& slot : slots_) slot.parameter.mutable_grad() = Tensor();
}

std::map<std::string, Tensor> Optimizer::state() const {
  std::map<std::string, Tensor> state;
  std::vector<int64_t> updates;
  for (const Slot& slot : slots_) {
    state.emplace(fmt::format("first.{}", slot.name), slot.first);
    if (slot.second.defined()) state.emplace(fmt::format("second.{}", slot.name), slot.second);
    updates.push_back(slot.updates);
  }
  state.emplace("updates", at::tensor(updates, at::kLong));
  state.emplace("previous_rate", at::full({1}, previous_rate_, at::kDouble));
  return state;
}

void Optimizer::load(const std::map<std::string, Tensor>& state) {
  const torch::NoGradGuard no_grad;
  const auto stored = [&](const std::string& name, at::IntArrayRef shape) -> const Tensor& {
    const auto found = state.find(name);
    if (found == state.end()) throw UserError("the optimizer's state lacks {}; it is of another model", name);
    if (found->second.sizes() != shape)
      throw UserError("the optimizer's {} has another shape; it is of another model", name);
    return found->second;
  };
  const Tensor updates = stored("updates", {static_cast<int64_t>(slots_.size())});
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    slot.first.copy_(stored(fmt::format("first.{}", slot.name), slot.first.sizes()));
    if (slot.second.defined())
      slot.second.copy_(stored(fmt::format("second.{}", slot.name), slot.second.sizes()));
    slot.updates = updates[static_cast<int64_t>(i)].item<int64_t>();
  }
  previous_rate_ = stored("previous_rate", {1}).item<double>();
}

}  // namespace memsizer::train
