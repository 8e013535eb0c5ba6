#include "mechanisms/ssru/module.h"

#include "nn/decay_scan.h"
#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

SsruMixer::SsruMixer(const MixerConfig& config) : Mixer(config) {
  forget_ = register_module("forget_proj", Linear(config.dim, config.dim));
  input_ = register_module("input_proj", Linear(config.dim, config.dim, /*with_bias=*/false));
}

void SsruMixer::initialise(at::Generator& generator) {
  initialise_xavier_zero_bias(forget_, 1.0, generator);
  initialise_xavier_zero_bias(input_, 1.0, generator);
}

Tensor SsruMixer::advance_state(const Tensor& x, const Tensor& padding, MixerState& state) {
  Tensor forget = forget_->forward(x).sigmoid();
  // Padding keeps the cell as it is.
  if (padding.defined()) forget = forget.masked_fill(time_major_mask(padding), 1.0);
  const Tensor cells = decay_scan(forget, (1.0 - forget) * input_->forward(x), state["memory"]);
  state["memory"] = cells[cells.size(0) - 1];
  return at::relu(cells);
}

Tensor SsruMixer::mix_causal(const Tensor& x, const Tensor& padding, const Pass& /*pass*/) {
  MixerState state = start(x.size(1));
  return advance_state(x, padding, state);
}

std::shared_ptr<Mixer> make_ssru_module(const MixerConfig& config) {
  return std::make_shared<SsruMixer>(config);
}

}  // namespace memsizer::nn
