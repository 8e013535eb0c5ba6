#pragma once

#include "nn/decoder.h"

namespace memsizer::nn {

// Translation and summarisation: an encoder over the source, a decoder over the target. Tokens are [batch,
// time].
class EncoderDecoderImpl : public torch::nn::Module {
 public:
  // Throws UserError on a configuration that does not hold together.
  explicit EncoderDecoderImpl(const ModelConfig& config);

  // Teacher forcing: logits [batch, target, vocab] of the token after each of `previous`.
  at::Tensor forward(const at::Tensor& source, const at::Tensor& previous, const Pass& pass = {});

  // The decoder's last layer under teacher forcing [batch, target, dim], and the weight [vocab, dim] that
  // makes logits of it: for a loss that never holds all logits at once.
  at::Tensor features(const at::Tensor& source, const at::Tensor& previous, const Pass& pass = {});
  at::Tensor output_weight() const { return decoder_->output_weight(); }

  EncoderOutput encode(const at::Tensor& source, const Pass& pass = {}) {
    return encoder_->encode(source, pass);
  }

  // Generation: read the source once, then any number of tokens at a time. Returns logits [batch, n, vocab].
  DecoderState start(const at::Tensor& source);
  at::Tensor advance(const at::Tensor& tokens, DecoderState& state);

  void initialise(at::Generator& generator);
  void redraw(at::Generator& generator);

  const ModelConfig& config() const { return config_; }

 private:
  ModelConfig config_;
  Encoder encoder_{nullptr};
  Decoder decoder_{nullptr};
};
TORCH_MODULE(EncoderDecoder);

}  // namespace memsizer::nn
