#pragma once

#include <torch/torch.h>

#include "nn/modules.h"

// Initialisations of the reference implementations, each drawing from the generator it is given.
namespace memsizer::nn {

void xavier_uniform(const at::Tensor& weight, double gain, at::Generator& generator);

// Uniform in +-1/sqrt(fan_in): what PyTorch gives a linear layer's weight and bias.
void default_uniform(const at::Tensor& tensor, int64_t fan_in, at::Generator& generator);

void normal(const at::Tensor& tensor, double deviation, at::Generator& generator);

void fill(const at::Tensor& tensor, double value);

void initialise_default(Linear& linear, at::Generator& generator);
void initialise_xavier_zero_bias(Linear& linear, double gain, at::Generator& generator);
void initialise_xavier_default_bias(Linear& linear, double gain, at::Generator& generator);
void initialise(LayerNorm& norm);

// Rows of [rows, columns] that are orthogonal in blocks of `columns`, each as long as a Gaussian vector is.
at::Tensor orthogonal_gaussian(int64_t rows, int64_t columns, at::Generator& generator);

}  // namespace memsizer::nn
