#include "nn/decoder.h"

#include <cmath>

#include "core/error.h"
#include "nn/init.h"
#include "nn/tokens.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

std::vector<std::shared_ptr<LayerImpl>> make_layers(const ModelConfig& config) {
  std::vector<std::shared_ptr<LayerImpl>> layers;
  for (int64_t i = 0; i < config.decoder.layers; ++i) layers.push_back(LayerImpl::decoder(config, i));
  return layers;
}

}  // namespace

DecoderState DecoderState::fork() const {
  DecoderState copy;
  for (const LayerState& layer : layers) copy.layers.push_back({layer.self.fork(), layer.cross.fork()});
  copy.seen = seen.clone();
  return copy;
}

void DecoderState::reorder(const Tensor& order) {
  for (LayerState& layer : layers) {
    layer.self.reorder(order);
    layer.cross.reorder(order);
  }
  seen = seen.index_select(0, order);
}

int64_t DecoderState::bytes() const {
  int64_t bytes = 0;
  for (const LayerState& layer : layers) bytes += layer.self.bytes() + layer.cross.bytes();
  return bytes;
}

DecoderImpl::DecoderImpl(const ModelConfig& config, const TokenEmbedding& shared)
    : StackImpl(config, make_layers(config), config.decoder.layer_drop,
                config.decoder.pre_norm && config.decoder.final_norm),
      vocab_(config.vocab) {
  if (config.adaptive.enabled()) {
    adaptive_input_ = register_module("embed_tokens", AdaptiveInput(adaptive_bands(config), config.dim));
    adaptive_softmax_ = register_module("adaptive_softmax", AdaptiveSoftmax(config, adaptive_input_));
    return;
  }
  owns_embedding_ = !shared;
  embedding_ = shared ? shared : register_module("embed_tokens", TokenEmbedding(config.vocab, config.dim));
  if (config.embedding.tie == Tying::None) {
    output_ = register_module("output_projection", Linear(config.dim, config.vocab, /*with_bias=*/false));
  }
}

void DecoderImpl::initialise(at::Generator& generator) {
  if (owns_embedding_) embedding_->initialise(generator);
  if (adaptive_input_) {
    adaptive_input_->initialise(generator);
    adaptive_softmax_->initialise(generator);
  }
  if (output_)
    normal(output_->weight, 1.0 / std::sqrt(static_cast<double>(output_->weight.size(1))), generator);
  StackImpl::initialise(generator);
}

Tensor DecoderImpl::look_up(const Tensor& tokens) const {
  return adaptive_input_ ? adaptive_input_->forward(tokens) : embedding_->forward(tokens);
}

Tensor DecoderImpl::features(const Tensor& tokens, const EncoderOutput* source, const Pass& pass) {
  check_tokens(tokens, vocab_, "target");
  const Tensor x = enter(look_up(tokens), tokens, {}, pass);
  const Tensor y = forward(x, padding_of(tokens), source ? source->out : Tensor(),
                           source ? source->padding : Tensor(), pass);
  return y.transpose(0, 1);
}

DecoderState DecoderImpl::start(int64_t batch, const EncoderOutput* source) {
  DecoderState state;
  for (const auto& layer : layers()) {
    state.layers.push_back(
        layer->start(batch, source ? source->out : Tensor(), source ? source->padding : Tensor()));
  }
  state.seen = at::zeros({batch}, parameters().front().options().dtype(at::kLong).requires_grad(false));
  return state;
}

Tensor DecoderImpl::advance(const Tensor& tokens, DecoderState& state) {
  check_tokens(tokens, vocab_, "target");
  const Tensor padding = padding_of(tokens);
  Tensor x = enter(look_up(tokens), tokens, state.seen, Pass{});
  for (size_t i = 0; i < layers().size(); ++i) x = layers()[i]->advance(x, padding, state.layers[i]);
  state.seen = state.seen + tokens.ne(kPad).sum(1);
  return leave(x).transpose(0, 1);
}

Tensor DecoderImpl::output_weight() const {
  if (adaptive_softmax_) return {};
  return output_ ? output_->weight : embedding_->weight;
}

Tensor DecoderImpl::logits(const Tensor& features) const {
  if (adaptive_softmax_) throw UserError("a model with adaptive softmax has log-probabilities but no logits");
  return at::linear(features, output_weight());
}

Tensor DecoderImpl::log_probs(const Tensor& features) const {
  return adaptive_softmax_ ? adaptive_softmax_->log_probs(features) : logits(features).log_softmax(-1);
}

}  // namespace memsizer::nn
