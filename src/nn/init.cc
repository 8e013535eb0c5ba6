#include "nn/init.h"

#include <cmath>
#include <vector>

namespace memsizer::nn {

void xavier_uniform(const at::Tensor& weight, double gain, at::Generator& generator) {
  torch::NoGradGuard no_grad;
  const double bound = gain * std::sqrt(6.0 / static_cast<double>(weight.size(0) + weight.size(1)));
  weight.uniform_(-bound, bound, generator);
}

void default_uniform(const at::Tensor& tensor, int64_t fan_in, at::Generator& generator) {
  torch::NoGradGuard no_grad;
  const double bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
  tensor.uniform_(-bound, bound, generator);
}

void normal(const at::Tensor& tensor, double deviation, at::Generator& generator) {
  torch::NoGradGuard no_grad;
  tensor.normal_(0.0, deviation, generator);
}

void fill(const at::Tensor& tensor, double value) {
  torch::NoGradGuard no_grad;
  tensor.fill_(value);
}

void initialise_default(Linear& linear, at::Generator& generator) {
  default_uniform(linear->weight, linear->weight.size(1), generator);
  if (linear->bias.defined()) default_uniform(linear->bias, linear->weight.size(1), generator);
}

void initialise_xavier_zero_bias(Linear& linear, double gain, at::Generator& generator) {
  xavier_uniform(linear->weight, gain, generator);
  if (linear->bias.defined()) fill(linear->bias, 0.0);
}

void initialise_xavier_default_bias(Linear& linear, double gain, at::Generator& generator) {
  xavier_uniform(linear->weight, gain, generator);
  if (linear->bias.defined()) default_uniform(linear->bias, linear->weight.size(1), generator);
}

void initialise(LayerNorm& norm) {
  if (!norm->weight.defined()) return;
  fill(norm->weight, 1.0);
  fill(norm->bias, 0.0);
}

at::Tensor orthogonal_gaussian(int64_t rows, int64_t columns, at::Generator& generator) {
  torch::NoGradGuard no_grad;
  std::vector<at::Tensor> blocks;
  for (int64_t done = 0; done < rows; done += columns) {
    const at::Tensor gaussian = at::randn({columns, columns}, generator, at::kFloat);
    blocks.push_back(std::get<0>(at::linalg_qr(gaussian)).t().slice(0, 0, std::min(columns, rows - done)));
  }
  const at::Tensor lengths = at::randn({rows, columns}, generator, at::kFloat).norm(2, 1, /*keepdim=*/true);
  return at::cat(blocks) * lengths;
}

}  // namespace memsizer::nn
