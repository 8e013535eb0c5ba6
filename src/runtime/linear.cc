#include "runtime/linear.h"

#include <algorithm>

#include "kernels/rows.h"

namespace memsizer::runtime {
namespace {

std::vector<std::string> with_suffix(const std::vector<std::string>& names, const std::string& suffix) {
  std::vector<std::string> result;
  for (const std::string& name : names) result.push_back(name + suffix);
  return result;
}

const float* data_or_null(const std::vector<float>& numbers) {
  return numbers.empty() ? nullptr : numbers.data();
}

}  // namespace

Linear::Linear(const Weights& weights, const std::vector<std::string>& names)
    : weight_(weights.matrix(with_suffix(names, ".weight"))) {
  const bool any =
      std::ranges::any_of(names, [&](const std::string& name) { return weights.contains(name + ".bias"); });
  if (!any) return;
  for (const std::string& name : names) {
    std::vector<float> bias = weights.floats_if_any(name + ".bias");
    bias.resize(static_cast<size_t>(weights.shape(name + ".weight")[0]));
    bias_.insert(bias_.end(), bias.begin(), bias.end());
  }
}

void Linear::apply(Work& work, ConstRows x, int64_t count, Rows out, Unary unary, ConstRows add) const {
  kernels::matmul(work.team, weight_, x, count, out,
                  {.bias = data_or_null(bias_), .unary = unary, .add = add});
}

Norm::Norm(const Weights& weights, const std::string& name)
    : weight(weights.floats_if_any(name + ".weight")), bias(weights.floats_if_any(name + ".bias")) {
  width = static_cast<int64_t>(weight.size());
}

void Norm::apply(const float* x, float* out) const {
  kernels::layer_norm(x, data_or_null(weight), data_or_null(bias), width, out);
}

void Norm::apply_to_sum(const float* x, const float* y, float* out) const {
  kernels::add_layer_norm(x, y, data_or_null(weight), data_or_null(bias), width, out);
}

}  // namespace memsizer::runtime
