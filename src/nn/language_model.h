#pragma once

#include "nn/decoder.h"

namespace memsizer::nn {

// A decoder-only language model. Tokens are [batch, time].
class LanguageModelImpl : public torch::nn::Module {
 public:
  // Throws UserError on a configuration that does not hold together.
  explicit LanguageModelImpl(const ModelConfig& config);

  // The last layer's output for every position: [batch, time, dim].
  at::Tensor forward(const at::Tensor& tokens, const Pass& pass = {}) {
    return decoder_->features(tokens, nullptr, pass);
  }

  // Of the token after each position, from the features: [batch, time, vocab].
  at::Tensor logits(const at::Tensor& features) const { return decoder_->logits(features); }
  at::Tensor log_probs(const at::Tensor& features) const { return decoder_->log_probs(features); }

  // The weight [vocab, dim] that makes logits of features; undefined with adaptive softmax.
  at::Tensor output_weight() const { return decoder_->output_weight(); }

  // Null unless the configuration has cutoffs.
  const AdaptiveSoftmax& adaptive_softmax() const { return decoder_->adaptive_softmax(); }

  // Generation: any number of tokens at a time. Returns log-probabilities [batch, n, vocab].
  DecoderState start(int64_t batch) { return decoder_->start(batch, nullptr); }
  at::Tensor advance(const at::Tensor& tokens, DecoderState& state);

  void initialise(at::Generator& generator) { decoder_->initialise(generator); }
  void redraw(at::Generator& generator) { decoder_->redraw(generator); }

  const ModelConfig& config() const { return config_; }

 private:
  ModelConfig config_;
  Decoder decoder_{nullptr};
};
TORCH_MODULE(LanguageModel);

}  // namespace memsizer::nn
