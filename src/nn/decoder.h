#pragma once

#include <vector>

#include "nn/adaptive_softmax.h"
#include "nn/encoder.h"
#include "nn/stack.h"

namespace memsizer::nn {

// What generation carries from token to token; a value that can be forked and reordered.
struct DecoderState {
  std::vector<LayerState> layers;
  at::Tensor seen;  // real tokens read so far in each row [batch]

  DecoderState fork() const;
  void reorder(const at::Tensor& order);
  int64_t bytes() const;
};

// The causal half of an encoder-decoder, or a whole language model. Tokens are [batch, time], outputs [batch,
// time, ...].
class DecoderImpl : public StackImpl {
 public:
  // `shared` is the encoder's embedding where all are tied, otherwise empty.
  DecoderImpl(const ModelConfig& config, const TokenEmbedding& shared);

  // The last layer's output for every position: [batch, time, dim]. source is null for a language model.
  at::Tensor features(const at::Tensor& tokens, const EncoderOutput* source, const Pass& pass);

  DecoderState start(int64_t batch, const EncoderOutput* source);

  // Reads more tokens [batch, n] and returns their features [batch, n, dim].
  at::Tensor advance(const at::Tensor& tokens, DecoderState& state);

  // [vocab, dim], the embedding itself where the two are tied; undefined with adaptive softmax.
  at::Tensor output_weight() const;

  // features [..., dim] -> scores before the softmax [..., vocab]; an error with adaptive softmax, which has
  // none.
  at::Tensor logits(const at::Tensor& features) const;

  // features [..., dim] -> log-probabilities [..., vocab]
  at::Tensor log_probs(const at::Tensor& features) const;

  // Null unless the configuration has cutoffs.
  const AdaptiveSoftmax& adaptive_softmax() const { return adaptive_softmax_; }

  void initialise(at::Generator& generator);

 private:
  at::Tensor look_up(const at::Tensor& tokens) const;

  int64_t vocab_;
  TokenEmbedding embedding_{nullptr};
  AdaptiveInput adaptive_input_{nullptr};
  AdaptiveSoftmax adaptive_softmax_{nullptr};
  Linear output_{nullptr};  // if not tied
  bool owns_embedding_ = false;
};
TORCH_MODULE(Decoder);

}  // namespace memsizer::nn
