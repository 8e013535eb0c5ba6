#include "mechanisms/synthesizer/module.h"

#include "core/error.h"
#include "nn/init.h"
#include "nn/growing_cache.h"

namespace memsizer::nn {

using at::Tensor;

SynthesizerMixer::SynthesizerMixer(const MixerConfig& config, bool random) : Mixer(config), random_(random) {
  const int64_t length = config.options<SynthesizerOptions>().max_length;
  if (random_) {
    random_logits_ = register_parameter("attention_weight", at::empty({heads() * length, length}));
  } else {
    dense1_ = register_module("linear1", Linear(config.dim, config.dim));
    dense2_ = register_module("linear2", Linear(config.dim, heads() * length));
  }
  value_ = register_module("linear_v", Linear(config.dim, config.dim));
  out_ = register_module("linear_out", Linear(config.dim, config.dim));
}

void SynthesizerMixer::initialise(at::Generator& generator) {
  if (random_) {
    default_uniform(random_logits_, random_logits_.size(1), generator);
  } else {
    initialise_default(dense1_, generator);
    initialise_default(dense2_, generator);
  }
  initialise_default(value_, generator);
  initialise_default(out_, generator);
}

void SynthesizerMixer::require_length(int64_t tokens) const {
  const int64_t longest = config().options<SynthesizerOptions>().max_length;
  if (tokens <= longest) return;
  throw UserError("sequence of {} tokens is longer than model.synthesizer.max_length ({})", tokens, longest);
}

Tensor SynthesizerMixer::logits(const Tensor& x, int64_t keys) const {
  const int64_t length = config().options<SynthesizerOptions>().max_length;
  if (random_) {
    return random_logits_.view({heads(), length, length})
        .slice(1, keys - x.size(0), keys)
        .slice(2, 0, keys)
        .unsqueeze(0);
  }
  const Tensor rows =
      dense2_->forward(at::relu(dense1_->forward(x))).view({x.size(0), x.size(1), heads(), length});
  return rows.slice(3, 0, keys).permute({1, 2, 0, 3});
}

Tensor SynthesizerMixer::values(const Tensor& x) const {
  return value_->forward(x).view({x.size(0), x.size(1), heads(), head_dim()}).permute({1, 2, 0, 3});
}

Tensor SynthesizerMixer::weigh(const Tensor& x, const MixerState& state, const Pass& pass) const {
  const int64_t time = x.size(0);
  const int64_t batch = x.size(1);
  const int64_t keys = state["values"].size(2);
  Tensor mask =
      causal() ? future_mask(time, keys, x.options()) : at::zeros({time, keys}, x.options().dtype(at::kBool));
  if (state.padding.defined()) mask = mask.logical_or(state.padding.unsqueeze(1).unsqueeze(2));
  const Tensor scores = logits(x, keys);
  const Tensor weights = scores.masked_fill(mask, masked_score(scores)).softmax(-1).masked_fill(mask, 0.0);
  const Tensor dropped =
      pass.dropout(weights, config().attention_dropout).expand({batch, heads(), time, keys});
  const Tensor mixed = at::matmul(dropped, state["values"]);  // [batch, heads, time, head_dim]
  return out_->forward(mixed.permute({2, 0, 1, 3}).reshape({time, batch, dim()}));
}

Tensor SynthesizerMixer::mix_cross(const Tensor& query, const Tensor& source, const Tensor& padding,
                                   const Pass& pass) {
  require_length(source.size(0));
  MixerState state;
  state["values"] = values(source);
  state.padding = padding;
  return weigh(query, state, pass);
}

Tensor SynthesizerMixer::mix_causal(const Tensor& x, const Tensor& padding, const Pass& pass) {
  return mix_cross(x, x, padding, pass);
}

Tensor SynthesizerMixer::advance_state(const Tensor& x, const Tensor& padding, MixerState& state) {
  const int64_t seen = state["values"].size(2);
  require_length(seen + x.size(0));
  state.padding = append_padding(state.padding, seen, padding, x.size(1), x.size(0));
  state["values"] = at::cat({state["values"], values(x)}, 2);
  return weigh(x, state, Pass{});
}

std::shared_ptr<Mixer> make_synthesizer_random_module(const MixerConfig& config) {
  return std::make_shared<SynthesizerMixer>(config, /*random=*/true);
}

std::shared_ptr<Mixer> make_synthesizer_dense_module(const MixerConfig& config) {
  return std::make_shared<SynthesizerMixer>(config, /*random=*/false);
}

}  // namespace memsizer::nn
