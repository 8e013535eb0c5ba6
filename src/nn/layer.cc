#include "nn/layer.h"

#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

LayerImpl::LayerImpl(const ModelConfig& config, const MixerConfig& self, const MixerConfig* cross,
                     int64_t ffn, bool pre_norm)
    : activation_(config.activation),
      dropout_(config.dropout),
      activation_dropout_(config.activation_dropout),
      pre_norm_(pre_norm) {
  self_attn_ = register_module("self_attn", make_mixer(self));
  self_norm_ = register_module("self_attn_layer_norm", LayerNorm(config.dim));
  if (cross) {
    cross_attn_ = register_module("encoder_attn", make_mixer(*cross));
    cross_norm_ = register_module("encoder_attn_layer_norm", LayerNorm(config.dim));
  }
  fc1_ = register_module("fc1", Linear(config.dim, ffn));
  fc2_ = register_module("fc2", Linear(ffn, config.dim));
  final_norm_ = register_module("final_layer_norm", LayerNorm(config.dim));
}

std::shared_ptr<LayerImpl> LayerImpl::encoder(const ModelConfig& config, int64_t layer) {
  const MixerConfig self = mixer_config(config, Position::EncoderSelf, layer);
  return std::shared_ptr<LayerImpl>(
      new LayerImpl(config, self, nullptr, config.encoder.ffn, config.encoder.pre_norm));
}

std::shared_ptr<LayerImpl> LayerImpl::decoder(const ModelConfig& config, int64_t layer) {
  const MixerConfig self = mixer_config(config, Position::CausalSelf, layer);
  const MixerConfig cross = mixer_config(config, Position::Cross, layer);
  return std::shared_ptr<LayerImpl>(new LayerImpl(config, self, config.has_encoder() ? &cross : nullptr,
                                                  config.decoder.ffn, config.decoder.pre_norm));
}

template <typename Branch>
Tensor LayerImpl::sublayer(const Tensor& x, const LayerNorm& norm, const Pass& pass,
                           const Branch& branch) const {
  const Tensor y = pass.add_dropped(x, branch(pre_norm_ ? norm->forward(x) : x), dropout_);
  return pre_norm_ ? y : norm->forward(y);
}

Tensor LayerImpl::feed_forward(const Tensor& x, const Pass& pass) const {
  const Tensor wide = fc1_->forward(x);
  const Tensor active = activation_ == Activation::Relu ? at::relu(wide) : at::gelu(wide);
  return fc2_->forward(pass.dropout(active, activation_dropout_));
}

Tensor LayerImpl::forward(const Tensor& x, const Tensor& padding, const Tensor& source,
                          const Tensor& source_padding, const Pass& pass) {
  Tensor y = sublayer(x, self_norm_, pass, [&](const Tensor& in) {
    Tensor out = self_attn_->forward(in, padding, pass);
    if (on_mixed_) on_mixed_({*self_attn_, in, padding, {}, {}, out});
    return out;
  });
  if (cross_attn_) {
    y = sublayer(y, cross_norm_, pass, [&](const Tensor& in) {
      Tensor out = cross_attn_->forward(in, source, source_padding, pass);
      if (on_mixed_) on_mixed_({*cross_attn_, in, padding, source, source_padding, out});
      return out;
    });
  }
  return sublayer(y, final_norm_, pass, [&](const Tensor& in) { return feed_forward(in, pass); });
}

LayerState LayerImpl::start(int64_t batch, const Tensor& source, const Tensor& source_padding) {
  LayerState state;
  state.self = self_attn_->start(batch);
  if (cross_attn_) state.cross = cross_attn_->read(source, source_padding);
  return state;
}

Tensor LayerImpl::advance(const Tensor& x, const Tensor& padding, LayerState& state) {
  const Pass pass;
  Tensor y = sublayer(x, self_norm_, pass,
                      [&](const Tensor& in) { return self_attn_->advance(in, state.self, padding); });
  if (cross_attn_) {
    y = sublayer(y, cross_norm_, pass,
                 [&](const Tensor& in) { return cross_attn_->attend(in, state.cross); });
  }
  return sublayer(y, final_norm_, pass, [&](const Tensor& in) { return feed_forward(in, pass); });
}

void LayerImpl::initialise(at::Generator& generator) {
  self_attn_->initialise(generator);
  nn::initialise(self_norm_);
  if (cross_attn_) {
    cross_attn_->initialise(generator);
    nn::initialise(cross_norm_);
  }
  initialise_default(fc1_, generator);
  initialise_default(fc2_, generator);
  nn::initialise(final_norm_);
}

void LayerImpl::redraw(at::Generator& generator) {
  self_attn_->redraw(generator);
  if (cross_attn_) cross_attn_->redraw(generator);
}

}  // namespace memsizer::nn
