#include "nn/stack.h"

#include <cmath>

#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

StackImpl::StackImpl(const ModelConfig& config, const std::vector<std::shared_ptr<LayerImpl>>& layers,
                     double layer_drop, bool final_norm)
    : layers_(layers),
      embedding_scale_(config.embedding.scale ? std::sqrt(static_cast<double>(config.dim)) : 1.0),
      dropout_(config.dropout),
      layer_drop_(layer_drop) {
  positions_ = register_module("embed_positions", Positions(config.embedding, config.dim));
  if (config.embedding.layer_norm)
    embedding_norm_ = register_module("layernorm_embedding", LayerNorm(config.dim));
  const auto list = register_module("layers", std::make_shared<torch::nn::Module>());
  for (size_t i = 0; i < layers_.size(); ++i) list->register_module(std::to_string(i), layers_[i]);
  if (final_norm) final_norm_ = register_module("layer_norm", LayerNorm(config.dim));
}

Tensor StackImpl::enter(const Tensor& embedded, const Tensor& tokens, const Tensor& seen, const Pass& pass) {
  const at::TensorOptions options = embedded.options().requires_grad(false);
  Tensor x = embedded * embedding_scale_ + positions_->forward(tokens, seen, options);
  if (embedding_norm_) x = embedding_norm_->forward(x);
  return pass.dropout(x, dropout_).transpose(0, 1).contiguous();
}

Tensor StackImpl::forward(const Tensor& x, const Tensor& padding, const Tensor& source,
                          const Tensor& source_padding, const Pass& pass) {
  Tensor y = x;
  for (const auto& layer : layers_) {
    if (pass.drops(layer_drop_)) continue;
    y = layer->forward(y, padding, source, source_padding, pass);
  }
  return leave(y);
}

void StackImpl::initialise(at::Generator& generator) {
  positions_->initialise(generator);
  if (embedding_norm_) nn::initialise(embedding_norm_);
  for (const auto& layer : layers_) layer->initialise(generator);
  if (final_norm_) nn::initialise(final_norm_);
}

void StackImpl::redraw(at::Generator& generator) {
  for (const auto& layer : layers_) layer->redraw(generator);
}

}  // namespace memsizer::nn
