#include "nn/encoder_decoder.h"

#include "core/error.h"
#include "nn/tensor_io.h"

namespace memsizer::nn {

EncoderDecoderImpl::EncoderDecoderImpl(const ModelConfig& config) : config_(config) {
  if (!config.has_encoder())
    throw UserError("model.architecture is language-model; expected encoder-decoder");
  config.validate();
  encoder_ = register_module("encoder", Encoder(config));
  const bool shares_all = config.embedding.tie == Tying::All;
  decoder_ = register_module("decoder",
                             Decoder(config, shares_all ? encoder_->embedding() : TokenEmbedding(nullptr)));
  require_tensor_list(*this, tensor_list(config));
}

at::Tensor EncoderDecoderImpl::forward(const at::Tensor& source, const at::Tensor& previous,
                                       const Pass& pass) {
  return decoder_->logits(features(source, previous, pass));
}

at::Tensor EncoderDecoderImpl::features(const at::Tensor& source, const at::Tensor& previous,
                                        const Pass& pass) {
  const EncoderOutput encoded = encoder_->encode(source, pass);
  return decoder_->features(previous, &encoded, pass);
}

DecoderState EncoderDecoderImpl::start(const at::Tensor& source) {
  const EncoderOutput encoded = encoder_->encode(source, Pass{});
  return decoder_->start(source.size(0), &encoded);
}

at::Tensor EncoderDecoderImpl::advance(const at::Tensor& tokens, DecoderState& state) {
  return decoder_->logits(decoder_->advance(tokens, state));
}

void EncoderDecoderImpl::initialise(at::Generator& generator) {
  encoder_->initialise(generator);
  decoder_->initialise(generator);
}

void EncoderDecoderImpl::redraw(at::Generator& generator) {
  encoder_->redraw(generator);
  decoder_->redraw(generator);
}

}  // namespace memsizer::nn
