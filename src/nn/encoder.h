#pragma once

#include "nn/embedding.h"
#include "nn/stack.h"

namespace memsizer::nn {

struct EncoderOutput {
  at::Tensor out;      // [source, batch, dim]
  at::Tensor padding;  // [batch, source], true at padding; undefined if there is none
};

class EncoderImpl : public StackImpl {
 public:
  explicit EncoderImpl(const ModelConfig& config);

  // tokens [batch, source]
  EncoderOutput encode(const at::Tensor& tokens, const Pass& pass);

  void initialise(at::Generator& generator);

  const TokenEmbedding& embedding() const { return embedding_; }

 private:
  TokenEmbedding embedding_{nullptr};
};
TORCH_MODULE(Encoder);

}  // namespace memsizer::nn
