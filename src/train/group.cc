#include "train/group.h"

#include <vector>

namespace memsizer::train {

using at::Tensor;

void Group::all_reduce_sum(std::span<double> numbers) {
  Tensor view = at::from_blob(numbers.data(), {static_cast<int64_t>(numbers.size())}, at::kDouble);
  all_reduce_sum({&view, 1});
}

void Group::all_reduce_sum(std::span<int64_t> numbers) {
  Tensor view = at::from_blob(numbers.data(), {static_cast<int64_t>(numbers.size())}, at::kLong);
  all_reduce_sum({&view, 1});
}

bool Group::any(bool mine) {
  int64_t count = mine ? 1 : 0;
  all_reduce_sum({&count, 1});
  return count > 0;
}

double Group::from_writer(double mine) {
  double value = is_writer() ? mine : 0.0;
  all_reduce_sum({&value, 1});
  return value;
}

void Group::sum_gradients(std::span<const Tensor> parameters) {
  std::vector<int64_t> computed;
  computed.reserve(parameters.size());
  for (const Tensor& parameter : parameters) computed.push_back(parameter.grad().defined() ? 1 : 0);
  all_reduce_sum(computed);
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (computed[i] == 0) continue;
    Tensor& gradient = parameters[i].mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameters[i]);
    gradients.push_back(gradient);
  }
  all_reduce_sum(gradients);
}

}  // namespace memsizer::train
