#pragma once

#include "nn/mixer.h"
#include "nn/modules.h"

namespace memsizer::nn {

// Marian's simple recurrent unit (SSRU), a decoder layer with one vector of state:
//
//   f = sigmoid(W_f x + b),   c_t = f o c_{t-1} + (1 - f) o W x,   out_t = relu(c_t)
class SsruMixer : public Mixer {
 public:
  explicit SsruMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;

 protected:
  at::Tensor mix_causal(const at::Tensor& x, const at::Tensor& padding, const Pass& pass) override;
  at::Tensor advance_state(const at::Tensor& x, const at::Tensor& padding, MixerState& state) override;

 private:
  Linear forget_{nullptr};
  Linear input_{nullptr};
};

}  // namespace memsizer::nn
