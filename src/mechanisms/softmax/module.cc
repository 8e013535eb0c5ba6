#include "mechanisms/softmax/module.h"

#include <cmath>

#include "mechanisms/softmax/description.h"
#include "nn/growing_cache.h"

namespace memsizer::nn {

using at::Tensor;

SoftmaxMixer::SoftmaxMixer(const MixerConfig& config)
    : Mixer(config), projections_(*this, config.dim, config.heads) {
  if (const int64_t taps = softmax_convolution(config); taps > 0) convolution_.emplace(*this, dim(), taps);
}

void SoftmaxMixer::initialise(at::Generator& generator) {
  projections_.initialise(generator);
  if (convolution_) convolution_->initialise();
}

Tensor SoftmaxMixer::weights(const Tensor& query, const MixerState& state, bool causal_mask) const {
  const int64_t time = query.size(0);
  const int64_t batch = query.size(1);
  const int64_t tokens = state["keys"].size(2);
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_dim()));
  const Tensor q =
      (projections_.query(query) * scale).view({time, batch * heads(), head_dim()}).transpose(0, 1);
  const Tensor k = state["keys"].flatten(0, 1);
  Tensor scores = at::bmm(q, k.transpose(1, 2));
  if (causal_mask && time > 1) {
    scores = scores.masked_fill_(future_mask(time, tokens, scores.options()), masked_score(scores));
  }
  if (state.padding.defined()) {
    scores = scores.view({batch, heads(), time, tokens})
                 .masked_fill(state.padding.unsqueeze(1).unsqueeze(2), masked_score(scores))
                 .view({batch * heads(), time, tokens});
  }
  return scores.softmax(-1);
}

Tensor SoftmaxMixer::mean_weights(const Tensor& query, const MixerState& state) {
  return weights(query, state, /*causal_mask=*/false)
      .view({query.size(1), heads(), query.size(0), -1})
      .mean(1);
}

Tensor SoftmaxMixer::weigh(const Tensor& query, const MixerState& state, bool causal_mask, const Pass& pass) {
  const Tensor dropped = pass.dropout(weights(query, state, causal_mask), config().attention_dropout);
  const Tensor mixed = at::bmm(dropped, state["values"].flatten(0, 1));
  return projections_.output(mixed.transpose(0, 1), query.size(0), query.size(1));
}

MixerState SoftmaxMixer::read_source(const Tensor& source, const Tensor& padding) {
  MixerState state;
  state["keys"] = projections_.key(source).permute({1, 2, 0, 3});
  state["values"] = projections_.value(source).permute({1, 2, 0, 3});
  state.padding = padding;
  return state;
}

Tensor SoftmaxMixer::attend_state(const Tensor& query, const MixerState& state) {
  return weigh(query, state, /*causal_mask=*/false, Pass{});
}

Tensor SoftmaxMixer::mix_cross(const Tensor& query, const Tensor& source, const Tensor& padding,
                               const Pass& pass) {
  return weigh(query, read_source(source, padding), /*causal_mask=*/false, pass);
}

Tensor SoftmaxMixer::mix_causal(const Tensor& x, const Tensor& padding, const Pass& pass) {
  if (!convolution_) return weigh(x, read_source(x, padding), /*causal_mask=*/true, pass);
  MixerState none;
  const Tensor convolved = convolution_->forward(x, count_tokens(x, padding, {}), none, /*with_state=*/false);
  return weigh(convolved, read_source(convolved, padding), /*causal_mask=*/true, pass);
}

Tensor SoftmaxMixer::advance_state(const Tensor& given, const Tensor& padding, MixerState& state) {
  Tensor x = given;
  if (convolution_) {
    const TokenCounts counts = count_tokens(x, padding, state["count"]);
    x = convolution_->forward(x, counts, state, /*with_state=*/true);
    state["count"] = counts.after.contiguous();
  }
  const MixerState added = read_source(x, padding);
  state.padding = append_padding(state.padding, state["keys"].size(2), padding, x.size(1), x.size(0));
  for (const char* field : {"keys", "values"}) state[field] = at::cat({state[field], added[field]}, 2);
  return weigh(x, state, /*causal_mask=*/true, Pass{});
}

std::shared_ptr<Mixer> make_softmax_module(const MixerConfig& config) {
  return std::make_shared<SoftmaxMixer>(config);
}

}  // namespace memsizer::nn
