#pragma once

#include "mechanisms/linformer/description.h"
#include "nn/mixer.h"
#include "nn/modules.h"

namespace memsizer::nn {

// Linformer: softmax attention over keys and values compressed along time to a fixed number
// of slots. Encoder only; the padding mask is ignored, as in both reference implementations.
class LinformerMixer : public Mixer {
 public:
  explicit LinformerMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;

 protected:
  at::Tensor mix_cross(const at::Tensor& query, const at::Tensor& source, const at::Tensor& padding,
                       const Pass& pass) override;

 private:
  bool fairseq() const { return config().options<LinformerOptions>().form == LinformerForm::Fairseq; }
  at::Tensor register_compression(const std::string& side);

  // [time, batch, dim] -> [slots, batch, dim] through a compression cut to the actual length.
  at::Tensor compress(const at::Tensor& x, const at::Tensor& compression) const;

  Linear q_{nullptr};
  Linear k_{nullptr};
  Linear v_{nullptr};  // absent in the lucid form if shared: keys serve as values
  Linear out_{nullptr};
  at::Tensor compress_keys_;    // [slots, max_length] (fairseq) or [max_length, slots] (lucid)
  at::Tensor compress_values_;  // the same tensor if shared
};

}  // namespace memsizer::nn
