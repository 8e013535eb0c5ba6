#include "nn/encoder.h"

#include "nn/tokens.h"

namespace memsizer::nn {
namespace {

std::vector<std::shared_ptr<LayerImpl>> make_layers(const ModelConfig& config) {
  std::vector<std::shared_ptr<LayerImpl>> layers;
  for (int64_t i = 0; i < config.encoder.layers; ++i) layers.push_back(LayerImpl::encoder(config, i));
  return layers;
}

}  // namespace

EncoderImpl::EncoderImpl(const ModelConfig& config)
    : StackImpl(config, make_layers(config), config.encoder.layer_drop, config.encoder.pre_norm) {
  embedding_ = register_module("embed_tokens", TokenEmbedding(config.source_vocab_size(), config.dim));
}

EncoderOutput EncoderImpl::encode(const at::Tensor& tokens, const Pass& pass) {
  check_tokens(tokens, embedding_->weight.size(0), "source");
  const at::Tensor padding = padding_of(tokens);
  const at::Tensor x = enter(embedding_->forward(tokens), tokens, {}, pass);
  return {forward(x, padding, {}, {}, pass), padding};
}

void EncoderImpl::initialise(at::Generator& generator) {
  embedding_->initialise(generator);
  StackImpl::initialise(generator);
}

}  // namespace memsizer::nn
