#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <string>

#include "model/model_config.h"
#include "nn/mixer.h"
#include "nn/modules.h"
#include "nn/pass.h"

namespace memsizer::nn {

// Per-sequence state of one decoder layer.
struct LayerState {
  MixerState self;
  MixerState cross;  // unused in a language model
};

// What a mixer was given in a pass over whole sequences, and what it made of it.
struct Mixed {
  const Mixer& mixer;
  at::Tensor x;               // what asks: [time, batch, dim]
  at::Tensor padding;         // of x, as mixers get it
  at::Tensor source;          // undefined unless the mixer crosses
  at::Tensor source_padding;  // of the source
  at::Tensor out;             // [time, batch, dim]
};
using OnMixed = std::function<void(const Mixed&)>;

// One transformer layer (docs/mathematics.md, Layers): self-attention, cross-attention if it is there,
// feed-forward, each with its residual and its layer norm before or after. Encoder and decoder layers differ
// only in which mixers they hold.
class LayerImpl : public torch::nn::Module {
 public:
  // Number `layer` of its stack: a stack may mix mechanisms.
  static std::shared_ptr<LayerImpl> encoder(const ModelConfig& config, int64_t layer);
  static std::shared_ptr<LayerImpl> decoder(const ModelConfig& config, int64_t layer);

  // x [time, batch, dim]; source is undefined without cross-attention.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& padding, const at::Tensor& source,
                     const at::Tensor& source_padding, const Pass& pass);

  // An empty state; the source is read once, here.
  LayerState start(int64_t batch, const at::Tensor& source, const at::Tensor& source_padding);
  at::Tensor advance(const at::Tensor& x, const at::Tensor& padding, LayerState& state);

  // Who is told of each mixer's work in forward(), so that another mixer can learn from it; null: no one.
  void set_on_mixed(OnMixed on_mixed) { on_mixed_ = std::move(on_mixed); }

  void initialise(at::Generator& generator);
  void redraw(at::Generator& generator);

 private:
  LayerImpl(const ModelConfig& config, const MixerConfig& self, const MixerConfig* cross, int64_t ffn,
            bool pre_norm);

  template <typename Branch>
  at::Tensor sublayer(const at::Tensor& x, const LayerNorm& norm, const Pass& pass,
                      const Branch& branch) const;
  at::Tensor feed_forward(const at::Tensor& x, const Pass& pass) const;

  std::shared_ptr<Mixer> self_attn_;
  std::shared_ptr<Mixer> cross_attn_;
  LayerNorm self_norm_{nullptr};
  LayerNorm cross_norm_{nullptr};
  Linear fc1_{nullptr};
  Linear fc2_{nullptr};
  LayerNorm final_norm_{nullptr};
  Activation activation_;
  double dropout_;
  double activation_dropout_;
  bool pre_norm_;
  OnMixed on_mixed_;
};

}  // namespace memsizer::nn
