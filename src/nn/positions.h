#pragma once

#include <torch/torch.h>

#include "model/model_config.h"

namespace memsizer::nn {

// Position ids count real tokens: the first one of a row has id 2 (pad + 1), padding has id 1, so padding on
// the left does not shift anything. tokens [batch, time] -> ids [batch, time], continuing after `seen` real
// tokens a row
// ([batch], or undefined for none).
at::Tensor position_ids(const at::Tensor& tokens, const at::Tensor& seen = {});

// Rows 0..rows-1 of the sinusoidal table: the sine block first, then the cosine block; row 1 (padding) is
// zero.
at::Tensor sinusoidal_table(int64_t rows, int64_t dim, const at::TensorOptions& options);

// Position embeddings, computed (sinusoidal) or trained (learned).
class PositionsImpl : public torch::nn::Module {
 public:
  PositionsImpl(const EmbeddingConfig& config, int64_t dim);

  // tokens [batch, time] -> [batch, time, dim]
  at::Tensor forward(const at::Tensor& tokens, const at::Tensor& seen, const at::TensorOptions& options);

  void initialise(at::Generator& generator);

 private:
  int64_t dim_;
  int64_t max_positions_;
  at::Tensor learned_;  // [max_positions + 2, dim], or undefined
  at::Tensor table_;    // sinusoidal rows computed so far
};
TORCH_MODULE(Positions);

}  // namespace memsizer::nn
