#pragma once

#include <memory>

#include "model/model_config.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// One transformer layer (docs/mathematics.md, Layers), at generation time.
class Layer {
 public:
  // Number `layer` of its stack: a stack may mix mechanisms.
  static Layer encoder(const ModelConfig& config, int64_t layer, const Weights& weights);
  static Layer decoder(const ModelConfig& config, int64_t layer, const Weights& weights);

  const Mixer& self() const { return *self_; }
  const Mixer* cross() const { return cross_.get(); }

  // Both replace x [tokens, dim] by the layer's output.
  void encode(Work& work, const Ragged& sequences, float* x) const;
  // `source_of_row` is unused without cross-attention.
  void advance(Work& work, const Ragged& rows, const RowStates& states,
               std::span<const ConstSourceState> source_of_row, float* x) const;

 private:
  Layer(const ModelConfig& config, const Weights& weights, const MixerConfig& self, const MixerConfig* cross,
        bool pre_norm);

  template <typename Branch>
  void sublayer(Work& work, int64_t tokens, const Norm& norm, float* x, const Branch& branch) const;
  void feed_forward(Work& work, int64_t tokens, float* x) const;

  int64_t dim_;
  bool pre_norm_;
  Unary activation_;
  std::unique_ptr<Mixer> self_;
  std::unique_ptr<Mixer> cross_;
  Norm self_norm_;
  Norm cross_norm_;
  Norm final_norm_;
  Linear fc1_;
  Linear fc2_;
};

}  // namespace memsizer::runtime
