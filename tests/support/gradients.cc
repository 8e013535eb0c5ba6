#include "support/gradients.h"

#include <algorithm>
#include <limits>

#include "support/golden.h"

namespace memsizer::testing {

using at::Tensor;

double largest_difference(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (size_t i = 0; i < actual.size(); ++i) {
    worst = std::max(worst, relative_error(actual[i], expected[i].detach(), largest(expected[i].detach())));
  }
  return worst;
}

double gradient_difference(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double scale = 0.0;
  for (const Tensor& tensor : expected) scale = std::max(scale, largest(tensor));
  double worst = 0.0;
  for (size_t i = 0; i < actual.size(); ++i)
    worst = std::max(worst, relative_error(actual[i], expected[i], scale));
  return worst;
}

double gradcheck_error(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                       const std::vector<Tensor>& inputs) {
  constexpr double kStep = 1e-6;
  const std::vector<Tensor> analytic = torch::autograd::grad({function(inputs)}, inputs);
  torch::NoGradGuard no_grad;
  std::vector<Tensor> numeric;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor gradient = at::zeros_like(inputs[i]);
    for (int64_t j = 0; j < gradient.numel(); ++j) {
      const auto moved = [&](double by) {
        std::vector<Tensor> x = inputs;
        x[i] = inputs[i].detach().clone();
        x[i].view({-1})[j] += by;
        return function(x).item<double>();
      };
      gradient.view({-1})[j] = (moved(kStep) - moved(-kStep)) / (2.0 * kStep);
    }
    numeric.push_back(gradient);
  }
  return largest_difference(analytic, numeric);
}

}  // namespace memsizer::testing
