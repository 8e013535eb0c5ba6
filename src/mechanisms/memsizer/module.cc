#include "mechanisms/memsizer/module.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/init.h"
#include "nn/linear_attention.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

// Padding before the first token: it must neither write to the memory nor count as a position. Padding after
// the last token cannot reach any real output and is left alone, as in the authors' code.
Tensor leading_padding(const Tensor& padding) {
  return padding.logical_not().cumsum(1) == 0;
}

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
  // Keys made from the input have one group of slots for each head, normalised on its own.
  const int64_t slots = left_norm->width();
  if (projected.size(2) == slots) return left_norm->forward(projected);
  return left_norm->forward(projected.view({x.size(0), x.size(1), -1, slots})).flatten(2);
}

MemsizerMixer::MemsizerMixer(const MixerConfig& config)
    : Mixer(config), slots_(MemsizerSizes(config).slots), heads_(MemsizerSizes(config).heads) {
  if (config.options<MemsizerOptions>().keys == MemsizerKeys::Input) {
    key_writer_ = make_writer("key_", heads_ * slots_);
  } else {
    keys_ = register_module("q_proj", Linear(config.dim, heads_ * slots_, config.options<MemsizerOptions>().bias));
  }
  writer_ = make_writer("", slots_);
  if (config.options<MemsizerOptions>().keys == MemsizerKeys::Frozen) {
    for (const Tensor& parameter : keys_->parameters()) parameter.set_requires_grad(false);
  }
}

MemsizerMixer::Writer MemsizerMixer::make_writer(const std::string& prefix, int64_t left_width) {
  const auto& options = config().options<MemsizerOptions>();
  Writer writer;
  writer.left_proj = register_module(prefix + "k_proj", Linear(dim(), left_width, options.bias));
  writer.right_proj = register_module(prefix + "v_proj", Linear(dim(), dim(), options.bias));
  writer.left_norm = register_module(prefix + "k_layer_norm", LayerNorm(slots_, options.affine_norms));
  writer.right_norm = register_module(prefix + "v_layer_norm", LayerNorm(dim(), options.affine_norms));
  return writer;
}

void MemsizerMixer::initialise(Writer& writer, at::Generator& generator) {
  const double gain = 1.0 / std::sqrt(config().options<MemsizerOptions>().value_scale);
  initialise_xavier_zero_bias(writer.left_proj, gain, generator);
  initialise_xavier_zero_bias(writer.right_proj, gain, generator);
  nn::initialise(writer.left_norm);
  nn::initialise(writer.right_norm);
}

void MemsizerMixer::initialise(at::Generator& generator) {
  if (keys_) {
    initialise_xavier_zero_bias(keys_, 1.0 / std::sqrt(config().options<MemsizerOptions>().key_scale), generator);
  } else {
    initialise(key_writer_, generator);
  }
  initialise(writer_, generator);
}

Tensor MemsizerMixer::address(const Tensor& logits, const Tensor& scale, const Pass& pass) const {
  const Tensor grouped = logits.view({logits.size(0), logits.size(1), heads_, slots_});
  const Tensor weights = pass.dropout(grouped.softmax(-1), config().attention_dropout);
  return weights.sum(2) * scale.div(static_cast<double>(heads_));
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
  const Tensor bias = config().options<MemsizerOptions>().bias ? joined(&LinearImpl::bias) : Tensor();
  const int64_t time = x.size(0);
  const int64_t batch = x.size(1);
  const Tensor mask =
      pass.dropout_mask({time, batch, heads_ * slots_}, config().attention_dropout, x.options());
  const auto or_constant = [&](const Tensor& parameter, double value, int64_t width) {
    return parameter.defined() ? parameter : at::full({width}, value, tensor_options());
  };
  return memsizer_factors({.projected = at::linear(x, weight, bias),
                           .scale = scale.expand({time, batch}),
                           .mask = mask,
                           .left_weight = or_constant(writer_.left_norm->weight, 1.0, slots_),
                           .left_bias = or_constant(writer_.left_norm->bias, 0.0, slots_),
                           .right_weight = or_constant(writer_.right_norm->weight, 1.0, dim()),
                           .right_bias = or_constant(writer_.right_norm->bias, 0.0, dim())});
}

Tensor MemsizerMixer::mix_segment(const Tensor& x, const Tensor& scale, const Tensor& skipped,
                                  MixerState& state, bool with_state, const Pass& pass) const {
  // Below this many tokens, joining the weights costs more than one product instead of three saves.
  constexpr int64_t kFewestJointTokens = 64;
  MemsizerFactors factors;
  if (keys_ && x.size(0) * x.size(1) >= kFewestJointTokens) {
    factors = joint_factors(x, scale, pass);
  } else {
    const Tensor logits = keys_ ? keys_->forward(x) : input_key_logits(x, scale, skipped, state, with_state);
    factors = {address(logits, scale.unsqueeze(2), pass), writer_.left(x), writer_.right(x)};
  }
  if (skipped.defined()) factors.left = factors.left.masked_fill(time_major_mask(skipped), 0.0);
  const auto mixed = linear_attention({.queries = factors.address,
                                       .keys = factors.left,
                                       .values = factors.right,
                                       .memory = state["memory"],
                                       .normaliser = {},
                                       .with_state = with_state});
  state["memory"] = mixed.memory;
  return mixed.out;
}

int64_t MemsizerMixer::segment_length(int64_t batch) const {
  // glibc never keeps blocks above 32 MB: longer ones are mapped and faulted in anew by every operation.
  constexpr int64_t kMostBytes = 24 << 20;
  constexpr int64_t kShortest = 256;
  const int64_t token_bytes = 4 * (heads_ * slots_ + slots_ + dim());
  return std::max(kShortest, kMostBytes / (token_bytes * batch));
}

Tensor MemsizerMixer::causal_mix(const Tensor& x, const Tensor& padding, MixerState& state, bool with_state,
                                 const Pass& pass) const {
  const int64_t time = x.size(0);
  const Tensor count = state["count"];  // tokens read before [batch], undefined at the start
  const bool resumes = count.defined();
  Tensor counts = at::arange(1, time + 1, tensor_options()).unsqueeze(1);  // [time, batch or 1]
  Tensor skipped;                                                          // [batch, time]
  if (padding.defined()) {
    skipped = leading_padding(padding);
    if (resumes) skipped = skipped.logical_and((count == 0).unsqueeze(1));
    counts = skipped.logical_not().cumsum(1).t().to(x.scalar_type());
  }
  if (resumes) counts = counts + count.to(x.scalar_type());
  const Tensor scale = counts.clamp_min(1.0).rsqrt();  // 1/sqrt(position), [time, batch or 1]

  // A long sequence goes through in segments, each from the state the one before it left.
  const int64_t segment = segment_length(x.size(1));
  const std::vector<Tensor> parts = time > segment ? x.split(segment) : std::vector<Tensor>{x};
  std::vector<Tensor> out;
  int64_t begin = 0;
  for (const Tensor& part : parts) {
    const int64_t end = begin + part.size(0);
    const Tensor part_skipped = skipped.defined() ? skipped.slice(1, begin, end) : Tensor();
    out.push_back(
        mix_segment(part, scale.slice(0, begin, end), part_skipped, state, with_state || end < time, pass));
    begin = end;
  }
  if (with_state) state["count"] = counts[time - 1].expand({x.size(1)}).to(at::kLong).contiguous();
  return out.size() == 1 ? out[0] : at::cat(out);
}

Tensor MemsizerMixer::mix_causal(const Tensor& x, const Tensor& padding, const Pass& pass) {
  MixerState none;
  return causal_mix(x, padding, none, /*with_state=*/false, pass);
}

Tensor MemsizerMixer::advance_state(const Tensor& x, const Tensor& padding, MixerState& state) {
  return causal_mix(x, padding, state, /*with_state=*/true, Pass{});
}

MixerState MemsizerMixer::read_source(const Tensor& source, const Tensor& padding) {
  Tensor left = writer_.left(source);
  Tensor lengths = at::full({source.size(1), 1, 1}, static_cast<double>(source.size(0)), tensor_options());
  if (padding.defined()) {
    left = left.masked_fill(time_major_mask(padding), 0.0);
    lengths = padding.logical_not().sum(1).to(source.scalar_type()).view({-1, 1, 1});
  }
  const Tensor scale = lengths.rsqrt();
  MixerState state;
  state["memory"] = outer_sum(left, writer_.right(source)) * scale;
  if (!keys_) {
    Tensor right = key_writer_.right(source);
    if (padding.defined()) right = right.masked_fill(time_major_mask(padding), 0.0);
    state["key_memory"] = outer_sum(right, key_writer_.left(source)) * scale;
  }
  return state;
}

Tensor MemsizerMixer::read_memory(const Tensor& query, const MixerState& state, const Pass& pass) const {
  const Tensor one = at::ones({1}, tensor_options());
  const Tensor logits =
      keys_ ? keys_->forward(query)
            : read_out(query.div(std::sqrt(static_cast<double>(dim()))), state["key_memory"]).contiguous();
  return read_out(address(logits, one, pass), state["memory"]);
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

}  // namespace memsizer::nn
