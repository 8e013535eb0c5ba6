#include "nn/kernel_mixer.h"

#include "nn/linear_attention.h"

namespace memsizer::nn {

using at::Tensor;

KernelMixer::KernelMixer(const MixerConfig& config, bool input_biases)
    : Mixer(config), projections_(*this, config.dim, config.heads, input_biases) {}

Tensor KernelMixer::causal_key_features(const Tensor& keys, const Tensor& /*x*/, const Tensor& map) const {
  return features(keys, Side::Key, map);
}

Tensor KernelMixer::finish(const Tensor& out, const Pass& /*pass*/) const {
  return out;
}

Tensor KernelMixer::project_heads(const Tensor& x, const Tensor& matrices) {
  const Tensor by_head = x.flatten(0, 1).transpose(0, 1);  // [heads, time * batch, head_dim]
  const Tensor projected = at::bmm(by_head, matrices.transpose(1, 2));
  return projected.transpose(0, 1).reshape({x.size(0), x.size(1), x.size(2), -1});
}

KernelMixer::Written KernelMixer::write(const Tensor& key_features, const Tensor& x,
                                        const Tensor& padding) const {
  Tensor keys = key_features;
  Tensor values = projections_.value(x);
  if (padding.defined()) {
    Tensor& masked = padding_stays_in_keys() ? values : keys;
    masked = masked.masked_fill(time_major_mask(padding).unsqueeze(3), 0.0);
  }
  return {keys.flatten(1, 2), values.flatten(1, 2)};
}

Tensor KernelMixer::divide(const Tensor& out, const Tensor& norm, const Tensor& query_features) const {
  return out / denominator(norm.unsqueeze(-1), query_features);
}

Tensor KernelMixer::mix_with_weight_dropout(const Tensor& queries, const Written& written,
                                            const Pass& pass) const {
  const Tensor q = queries.transpose(0, 1);  // [groups, time, features]
  const Tensor scores = at::bmm(q, written.keys.permute({1, 2, 0})).tril();
  const Tensor weights = scores / denominator(scores.sum(2, /*keepdim=*/true), q);
  return at::bmm(pass.dropout(weights, config().attention_dropout), written.values.transpose(0, 1))
      .transpose(0, 1);
}

Tensor KernelMixer::mix_causal(const Tensor& x, const Tensor& padding, const Pass& pass) {
  const Tensor map = feature_map(pass);
  const Tensor queries = features(projections_.query(x), Side::Query, map).flatten(1, 2);
  const Written written = write(causal_key_features(projections_.key(x), x, map), x, padding);
  Tensor mixed;
  if (pass.training && drops_weights() && config().attention_dropout > 0.0) {
    mixed = mix_with_weight_dropout(queries, written, pass);
  } else {
    const auto result = linear_attention({.queries = queries,
                                          .keys = written.keys,
                                          .values = written.values,
                                          .memory = {},
                                          .normaliser = {},
                                          .with_norm = true});
    mixed = divide(result.out, result.norm, queries);
  }
  return finish(projections_.output(mixed, x.size(0), x.size(1)), pass);
}

Tensor KernelMixer::advance_state(const Tensor& x, const Tensor& padding, MixerState& state) {
  Tensor& memory = state["memory"];
  Tensor& normaliser = state["normaliser"];
  const Tensor map = feature_map(Pass{});
  const Tensor queries = features(projections_.query(x), Side::Query, map).flatten(1, 2);
  const Written written = write(causal_key_features(projections_.key(x), x, map), x, padding);
  const auto result = linear_attention({.queries = queries,
                                        .keys = written.keys,
                                        .values = written.values,
                                        .memory = memory.flatten(0, 1),
                                        .normaliser = normaliser.flatten(0, 1),
                                        .with_norm = true,
                                        .with_state = true});
  memory = result.memory.view_as(memory);
  normaliser = result.normaliser.view_as(normaliser);
  return projections_.output(divide(result.out, result.norm, queries), x.size(0), x.size(1));
}

MixerState KernelMixer::read_through(const Tensor& map, const Tensor& source, const Tensor& padding) const {
  const Written written = write(features(projections_.key(source), Side::Key, map), source, padding);
  const int64_t batch = source.size(1);
  MixerState state;
  state["memory"] = at::bmm(written.keys.permute({1, 2, 0}), written.values.transpose(0, 1))
                        .view({batch, heads(), feature_count(), head_dim()});
  state["normaliser"] = written.keys.sum(0).view({batch, heads(), feature_count()});
  return state;
}

Tensor KernelMixer::attend_through(const Tensor& map, const Tensor& query, const MixerState& state,
                                   const Pass& pass) const {
  const Tensor queries = features(projections_.query(query), Side::Query, map).flatten(1, 2).transpose(0, 1);
  const Tensor out = at::bmm(queries, state["memory"].flatten(0, 1));  // [groups, time, head_dim]
  const Tensor norm = at::bmm(queries, state["normaliser"].flatten(0, 1).unsqueeze(2)).squeeze(2);
  const Tensor mixed = divide(out, norm, queries).transpose(0, 1);
  return finish(projections_.output(mixed, query.size(0), query.size(1)), pass);
}

Tensor KernelMixer::mix_cross(const Tensor& query, const Tensor& source, const Tensor& padding,
                              const Pass& pass) {
  const Tensor map = feature_map(pass);
  return attend_through(map, query, read_through(map, source, padding), pass);
}

MixerState KernelMixer::read_source(const Tensor& source, const Tensor& padding) {
  return read_through(feature_map(Pass{}), source, padding);
}

Tensor KernelMixer::attend_state(const Tensor& query, const MixerState& state) {
  return attend_through(feature_map(Pass{}), query, state, Pass{});
}

}  // namespace memsizer::nn
