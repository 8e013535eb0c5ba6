#include "nn/language_model.h"

#include "core/error.h"
#include "nn/tensor_io.h"

namespace memsizer::nn {

LanguageModelImpl::LanguageModelImpl(const ModelConfig& config) : config_(config) {
  if (config.has_encoder()) throw UserError("model.architecture is encoder-decoder; expected language-model");
  config.validate();
  decoder_ = register_module("decoder", Decoder(config, TokenEmbedding(nullptr)));
  require_tensor_list(*this, tensor_list(config));
}

at::Tensor LanguageModelImpl::advance(const at::Tensor& tokens, DecoderState& state) {
  return decoder_->log_probs(decoder_->advance(tokens, state));
}

}  // namespace memsizer::nn
