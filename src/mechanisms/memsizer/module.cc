#include "mechanisms/memsizer/module.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "nn/init.h"
#include "nn/linear_attention.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

// Sum over source positions of left (x) right: [source, batch, a], [source, batch, b] -> [batch, a, b].
Tensor outer_sum(const Tensor& left, const Tensor& right) {
  return at::bmm(left.permute({1, 2, 0}), right.transpose(0, 1));
}

// The product of each query with the memory of its batch row: [time, batch, a], [batch, a, b] -> [time,
// batch, b].
Tensor read_out(const Tensor& query, const Tensor& memory) {
  return at::bmm(query.transpose(0, 1), memory).transpose(0, 1);
}

}  // namespace

Tensor MemsizerMixer::Writer::left(const Tensor& x) const {
  const Tensor projected = left_proj->forward(x);
  const int64_t slots = left_norm->width();
  if (projected.size(2) == slots && mean_groups == 0) return left_norm->forward(projected);
  const Tensor grouped = projected.view({x.size(0), x.size(1), -1, slots});
  const int64_t sum_groups = grouped.size(2) - mean_groups;
  if (sum_groups == 0) return grouped.softmax(-1).flatten(2);
  if (mean_groups == 0) return left_norm->forward(grouped).flatten(2);
  const auto halves = grouped.split_with_sizes({sum_groups, mean_groups}, 2);
  return at::cat({left_norm->forward(halves[0]), halves[1].softmax(-1)}, 2).flatten(2);
}

Tensor MemsizerMixer::Writer::right(const Tensor& x) const {
  const Tensor projected = right_proj->forward(x);
  return right_norm ? right_norm->forward(projected) : projected;
}

MemsizerMixer::MemsizerMixer(const MixerConfig& config) : Mixer(config), form_(config) {
  const auto& options = memsizer_options(config);
  if (form_.input_keys) {
    key_writer_ = make_writer("key_", form_.keys(), 0);
  } else {
    keys_ = register_module("q_proj", Linear(dim(), form_.keys(), options.bias));
  }
  writer_ = make_writer("", form_.left_width(), form_.mean_groups);
  if (options.keys == MemsizerKeys::Frozen) {
    for (const Tensor& parameter : keys_->parameters()) parameter.set_requires_grad(false);
  }
  if (form_.convolution > 0) convolution_.emplace(*this, dim(), form_.convolution);
  if (form_.forget) forget_ = register_module("decay_proj", Linear(dim(), form_.groups));
  if (form_.norms_read())
    read_norm_ = register_module("read_layer_norm", LayerNorm(form_.group_dim(), options.affine_norms));
  if (form_.gate) gate_ = register_module("gate_proj", Linear(dim(), dim()));
  if (form_.output) output_ = register_module("out_proj", Linear(dim(), dim()));
  if (form_.window > 0) window_.emplace(*this, dim(), heads(), form_.window);
}

MemsizerMixer::Writer MemsizerMixer::make_writer(const std::string& prefix, int64_t left_width,
                                                 int64_t mean_groups) {
  const auto& options = memsizer_options(config());
  Writer writer;
  writer.left_proj = register_module(prefix + "k_proj", Linear(dim(), left_width, options.bias));
  writer.right_proj = register_module(prefix + "v_proj", Linear(dim(), dim(), options.bias));
  writer.norms_left = left_width > mean_groups * form_.slots;
  writer.left_norm = register_module(prefix + "k_layer_norm",
                                     LayerNorm(form_.slots, options.affine_norms && writer.norms_left));
  if (form_.value_norm || !prefix.empty())
    writer.right_norm = register_module(prefix + "v_layer_norm", LayerNorm(dim(), options.affine_norms));
  writer.mean_groups = mean_groups;
  return writer;
}

void MemsizerMixer::initialise(Writer& writer, at::Generator& generator) {
  const double gain = 1.0 / std::sqrt(memsizer_options(config()).value_scale);
  // Small starts are for what a layer norm follows: it makes up for them, and they turn faster.
  initialise_xavier_zero_bias(writer.left_proj, writer.norms_left ? gain : 1.0, generator);
  initialise_xavier_zero_bias(writer.right_proj, writer.right_norm ? gain : 1.0, generator);
  nn::initialise(writer.left_norm);
  if (writer.right_norm) nn::initialise(writer.right_norm);
}

void MemsizerMixer::initialise(at::Generator& generator) {
  if (keys_) {
    initialise_xavier_zero_bias(keys_, 1.0 / std::sqrt(memsizer_options(config()).key_scale), generator);
  } else {
    initialise(key_writer_, generator);
  }
  initialise(writer_, generator);
  if (convolution_) convolution_->initialise();
  if (forget_) {
    // Half lives from about one token to a hundred, spread over the groups.
    constexpr double kShortest = -1.0;
    constexpr double kLongest = 5.0;
    const torch::NoGradGuard guard;
    fill(forget_->weight, 0.0);
    fill(forget_->bias, (kShortest + kLongest) / 2.0);
    if (form_.groups > 1)
      forget_->bias.copy_(at::linspace(kShortest, kLongest, form_.groups, forget_->bias.options()));
  }
  if (read_norm_) nn::initialise(read_norm_);
  if (gate_) initialise_xavier_zero_bias(gate_, 1.0, generator);
  if (output_) initialise_xavier_zero_bias(output_, 1.0, generator);
  if (window_) window_->initialise(generator);
}

Tensor MemsizerMixer::address(const Tensor& logits, const Tensor& scale, const Pass& pass) const {
  const int64_t time = logits.size(0);
  const int64_t batch = logits.size(1);
  const Tensor weights = pass.dropout(logits.view({time, batch, form_.heads, form_.slots}).softmax(-1),
                                      config().attention_dropout);
  if (form_.groups == 1 && form_.mean_groups == 0)
    return weights.sum(2) * scale.div(static_cast<double>(form_.heads));
  const Tensor means = weights.view({time, batch, form_.groups, form_.group_heads(), form_.slots}).mean(3);
  if (form_.sum_groups() == 0) return means.flatten(2);
  const auto halves = means.split_with_sizes({form_.sum_groups(), form_.mean_groups}, 2);
  return at::cat({halves[0] * scale.unsqueeze(-1), halves[1]}, 2).flatten(2);
}

Tensor MemsizerMixer::read_of(const Tensor& products, const Tensor& norms, int64_t batch) const {
  const int64_t time = products.size(0);
  const auto joined = [&](const Tensor& x) { return x.reshape({time, batch, dim()}); };
  const auto normed = [&](const Tensor& x) { return read_norm_ ? read_norm_->forward(x) : x; };
  if (form_.mean_groups == 0) return joined(normed(products));
  const Tensor means = products / (norms + MemsizerForm::kMeanEpsilon).unsqueeze(2);
  if (form_.sum_groups() == 0) return joined(means);
  const auto groups_of = [&](const Tensor& x, int64_t first, int64_t last) {
    return x.view({time, batch, form_.groups, -1}).slice(2, first, last);
  };
  return joined(at::cat({normed(groups_of(products, 0, form_.sum_groups())),
                         groups_of(means, form_.sum_groups(), form_.groups)},
                        2));
}

Tensor MemsizerMixer::finish(Tensor read, const Tensor& x) const {
  if (gate_) read = read * at::silu(gate_->forward(x));
  return output_ ? output_->forward(read) : read;
}

Tensor MemsizerMixer::all_normalisers(const Tensor& normaliser) const {
  if (!normaliser.defined()) return {};
  if (form_.sum_groups() == 0) return normaliser.flatten(0, 1);
  const Tensor none = at::zeros({normaliser.size(0), form_.sum_groups(), form_.slots}, normaliser.options());
  return at::cat({none, normaliser}, 1).flatten(0, 1);
}

Tensor MemsizerMixer::memory_field(const Tensor& memories) const {
  return form_.groups == 1 ? memories : memories.view({-1, form_.groups, form_.slots, form_.group_dim()});
}

Tensor MemsizerMixer::normaliser_field(const Tensor& normalisers) const {
  return normalisers.view({-1, form_.groups, form_.slots}).slice(1, form_.sum_groups());
}

Tensor MemsizerMixer::input_key_logits(const Tensor& x, const Tensor& scale, const Tensor& skipped,
                                       MixerState& state, bool with_state) const {
  // Keys are a memory of their own, of the same form as the values': key_t = 1/sqrt(t) sum of left (x) right,
  // and a token's logits are its dot products with them. That is linear attention whose slots are the model's
  // channels.
  Tensor right = key_writer_.right(x);
  if (skipped.defined()) right = right.masked_fill(time_major_mask(skipped), 0.0);
  const auto keys =
      linear_attention({.queries = x * scale.unsqueeze(2).div(std::sqrt(static_cast<double>(dim()))),
                        .keys = right,
                        .values = key_writer_.left(x),
                        .memory = state["key_memory"],
                        .normaliser = {},
                        .with_state = with_state});
  state["key_memory"] = keys.memory;
  return keys.out;
}

MemsizerFactors MemsizerMixer::joint_factors(const Tensor& x, const Tensor& scale, const Pass& pass) const {
  const auto joined = [&](auto member) {
    return at::cat({(*keys_).*member, (*writer_.left_proj).*member, (*writer_.right_proj).*member});
  };
  const Tensor weight = joined(&LinearImpl::weight);
  const Tensor bias = memsizer_options(config()).bias ? joined(&LinearImpl::bias) : Tensor();
  const int64_t time = x.size(0);
  const int64_t batch = x.size(1);
  const Tensor mask = pass.dropout_mask({time, batch, form_.keys()}, config().attention_dropout, x.options());
  const auto or_constant = [&](const Tensor& parameter, double value, int64_t width) {
    return parameter.defined() ? parameter : at::full({width}, value, tensor_options());
  };
  return memsizer_factors({.projected = at::linear(x, weight, bias),
                           .groups = form_.groups,
                           .mean_groups = form_.mean_groups,
                           .scale = scale.expand({time, batch}),
                           .mask = mask,
                           .left_weight = or_constant(writer_.left_norm->weight, 1.0, form_.slots),
                           .left_bias = or_constant(writer_.left_norm->bias, 0.0, form_.slots),
                           .right_weight = or_constant(writer_.right_norm->weight, 1.0, dim()),
                           .right_bias = or_constant(writer_.right_norm->bias, 0.0, dim())});
}

Tensor MemsizerMixer::mix_segment(const Tensor& x, const Tensor& key_scale, const Tensor& skipped,
                                  MixerState& state, bool with_state, const Pass& pass) const {
  // Below this many tokens, joining the weights costs more than one product instead of three saves.
  constexpr int64_t kFewestJointTokens = 64;
  const int64_t batch = x.size(1);
  // What forgets is normalised by its read.
  const Tensor scale = form_.forget ? at::ones({1, 1}, tensor_options()) : key_scale;
  MemsizerFactors factors;
  if (keys_ && x.size(0) * batch >= kFewestJointTokens) {
    factors = joint_factors(x, scale, pass);
  } else {
    const Tensor logits =
        keys_ ? keys_->forward(x) : input_key_logits(x, key_scale, skipped, state, with_state);
    factors = {address(logits, scale.unsqueeze(2), pass), writer_.left(x), writer_.right(x)};
  }
  if (skipped.defined()) factors.left = factors.left.masked_fill(time_major_mask(skipped), 0.0);
  const auto by_group = [&](const Tensor& factor, int64_t width) {
    return form_.groups == 1 ? factor : factor.reshape({x.size(0), batch * form_.groups, width});
  };
  const Tensor memory = state["memory"];
  const auto mixed = linear_attention(
      {.queries = by_group(factors.address, form_.slots),
       .keys = by_group(factors.left, form_.slots),
       .values = by_group(factors.right, form_.group_dim()),
       .memory = memory.defined() ? memory.reshape({-1, form_.slots, form_.group_dim()}) : memory,
       .normaliser = all_normalisers(std::as_const(state)["normaliser"]),
       .log_decay = forget_ ? at::log_sigmoid(forget_->forward(x)).flatten(1) : Tensor(),
       .with_norm = form_.mean_groups > 0,
       .with_state = with_state});
  if (with_state) {
    state["memory"] = memory_field(mixed.memory);
    if (form_.mean_groups > 0) state["normaliser"] = normaliser_field(mixed.normaliser);
  }
  return finish(read_of(mixed.out, mixed.norm, batch), x);
}

int64_t MemsizerMixer::segment_length(int64_t batch) const {
  // glibc never keeps blocks above 32 MB: longer ones are mapped and faulted in anew by every operation.
  constexpr int64_t kMostBytes = 24 << 20;
  constexpr int64_t kShortest = 256;
  const int64_t token_bytes = 4 * (form_.keys() + form_.left_width() + dim());
  return std::max(kShortest, kMostBytes / (token_bytes * batch));
}

Tensor MemsizerMixer::causal_mix(const Tensor& x, const Tensor& padding, MixerState& state, bool with_state,
                                 const Pass& pass) const {
  const int64_t time = x.size(0);
  const TokenCounts counts = count_tokens(x, padding, state["count"]);
  const Tensor& skipped = counts.skipped;
  const Tensor scale = counts.positions.clamp_min(1.0).rsqrt();  // 1/sqrt(position), [time, batch or 1]
  const Tensor input = convolution_ ? convolution_->forward(x, counts, state, with_state) : x;

  // A long sequence goes through in segments, each from the state the one before it left.
  const int64_t segment = segment_length(x.size(1));
  const std::vector<Tensor> parts = time > segment ? input.split(segment) : std::vector<Tensor>{input};
  std::vector<Tensor> out;
  int64_t begin = 0;
  for (const Tensor& part : parts) {
    const int64_t end = begin + part.size(0);
    const Tensor part_skipped = skipped.defined() ? skipped.slice(1, begin, end) : Tensor();
    out.push_back(
        mix_segment(part, scale.slice(0, begin, end), part_skipped, state, with_state || end < time, pass));
    begin = end;
  }
  Tensor mixed = out.size() == 1 ? out[0] : at::cat(out);
  if (window_) {
    const WindowAttention::Input window{.x = input,
                                        .skipped = skipped,
                                        .before = counts.before,
                                        .after = counts.after,
                                        .dropout = config().attention_dropout};
    mixed = mixed + window_->forward(window, state, with_state, pass);
  }
  if (with_state) state["count"] = counts.after.contiguous();
  return mixed;
}

Tensor MemsizerMixer::mix_causal(const Tensor& x, const Tensor& padding, const Pass& pass) {
  MixerState none;
  return causal_mix(x, padding, none, /*with_state=*/false, pass);
}

Tensor MemsizerMixer::advance_state(const Tensor& x, const Tensor& padding, MixerState& state) {
  return causal_mix(x, padding, state, /*with_state=*/true, Pass{});
}

Tensor MemsizerMixer::pool_weights(const Tensor& source, const Tensor& padding) const {
  Tensor logits = writer_.left(source);
  if (padding.defined())
    logits = logits.masked_fill(time_major_mask(padding), -std::numeric_limits<double>::infinity());
  return logits.softmax(0);
}

MixerState MemsizerMixer::read_source(const Tensor& source, const Tensor& padding) {
  const int64_t tokens = source.size(0);
  const int64_t batch = source.size(1);
  Tensor left = form_.pool ? pool_weights(source, padding) : writer_.left(source);
  Tensor lengths = at::full({batch, 1, 1}, static_cast<double>(tokens), tensor_options());
  if (padding.defined()) {
    left = left.masked_fill(time_major_mask(padding), 0.0);
    lengths = padding.logical_not().sum(1).to(source.scalar_type()).view({-1, 1, 1});
  }
  const Tensor scale = lengths.rsqrt();
  MixerState state;
  const Tensor memories = outer_sum(left.reshape({tokens, batch * form_.groups, form_.slots}),
                                    writer_.right(source).reshape({tokens, batch * form_.groups, -1}));
  if (form_.pool) {
    state["memory"] = memory_field(memories);
  } else if (form_.mean_groups == 0) {
    state["memory"] = form_.groups == 1 ? memories * scale : memory_field(memories) * scale.unsqueeze(3);
  } else {
    state["memory"] = memory_field(memories);
    if (form_.sum_groups() > 0) {
      const auto halves = state["memory"].split_with_sizes({form_.sum_groups(), form_.mean_groups}, 1);
      state["memory"] = at::cat({halves[0] * scale.unsqueeze(3), halves[1]}, 1);
    }
    state["normaliser"] = normaliser_field(left.sum(0));
  }
  if (!keys_) {
    Tensor right = key_writer_.right(source);
    if (padding.defined()) right = right.masked_fill(time_major_mask(padding), 0.0);
    state["key_memory"] = outer_sum(right, key_writer_.left(source)) * scale;
  }
  return state;
}

Tensor MemsizerMixer::read_memory(const Tensor& query, const MixerState& state, const Pass& pass) const {
  const Tensor one = at::ones({1}, tensor_options());
  const int64_t batch = query.size(1);
  const Tensor logits =
      keys_ ? keys_->forward(query)
            : read_out(query.div(std::sqrt(static_cast<double>(dim()))), state["key_memory"]).contiguous();
  const Tensor addresses =
      address(logits, one, pass).reshape({query.size(0), batch * form_.groups, form_.slots});
  const Tensor products = read_out(addresses, state["memory"].reshape({-1, form_.slots, form_.group_dim()}));
  Tensor norms;
  if (form_.mean_groups > 0)
    norms = read_out(addresses, all_normalisers(state["normaliser"]).unsqueeze(2)).squeeze(2);
  return finish(read_of(products, norms, batch), query);
}

Tensor MemsizerMixer::attend_state(const Tensor& query, const MixerState& state) {
  return read_memory(query, state, Pass{});
}

Tensor MemsizerMixer::mix_cross(const Tensor& query, const Tensor& source, const Tensor& padding,
                                const Pass& pass) {
  return read_memory(query, read_source(source, padding), pass);
}

std::shared_ptr<Mixer> make_memsizer_module(const MixerConfig& config) {
  return std::make_shared<MemsizerMixer>(config);
}

std::shared_ptr<Mixer> make_memsizer_plus_module(const MixerConfig& config) {
  return make_memsizer_module(config);
}

}  // namespace memsizer::nn
