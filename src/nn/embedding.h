#pragma once

#include <torch/torch.h>

#include "model/model_config.h"

namespace memsizer::nn {

// A plain table of token embeddings; its padding row gets no gradient from look-ups.
class TokenEmbeddingImpl : public torch::nn::Module {
 public:
  TokenEmbeddingImpl(int64_t vocab, int64_t dim);

  // tokens [...] -> [..., dim]
  at::Tensor forward(const at::Tensor& tokens) const { return at::embedding(weight, tokens, kPad); }

  void initialise(at::Generator& generator);

  at::Tensor weight;  // [vocab, dim]
};
TORCH_MODULE(TokenEmbedding);

}  // namespace memsizer::nn
