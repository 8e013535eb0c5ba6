#include "mechanisms/linformer/module.h"

#include <cmath>

#include "core/error.h"
#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

LinformerMixer::LinformerMixer(const MixerConfig& config) : Mixer(config) {
  const bool shared = config.options<LinformerOptions>().shared;
  q_ = register_module("q_proj", Linear(config.dim, config.dim, fairseq()));
  k_ = register_module("k_proj", Linear(config.dim, config.dim, fairseq()));
  if (fairseq() || !shared) v_ = register_module("v_proj", Linear(config.dim, config.dim, fairseq()));
  out_ = register_module("out_proj", Linear(config.dim, config.dim));
  compress_keys_ = register_compression("k");
  compress_values_ = shared ? compress_keys_ : register_compression("v");
}

Tensor LinformerMixer::register_compression(const std::string& side) {
  const auto& options = config().options<LinformerOptions>();
  if (fairseq()) {
    auto compression =
        register_module("compress_" + side, Linear(options.max_length, options.slots, /*with_bias=*/false));
    return compression->weight;
  }
  return register_parameter("proj_" + side, at::empty({options.max_length, options.slots}));
}

void LinformerMixer::initialise(at::Generator& generator) {
  const double gain = std::sqrt(0.5);
  for (Linear* linear : {&q_, &k_, &v_}) {
    if (*linear) initialise_xavier_default_bias(*linear, gain, generator);
  }
  initialise_xavier_zero_bias(out_, 1.0, generator);
  const auto start = [&](const Tensor& compression) {
    if (fairseq()) return xavier_uniform(compression, gain, generator);
    default_uniform(compression, config().options<LinformerOptions>().slots, generator);
  };
  start(compress_keys_);
  if (!config().options<LinformerOptions>().shared) start(compress_values_);
}

Tensor LinformerMixer::compress(const Tensor& x, const Tensor& compression) const {
  const int64_t time = x.size(0);
  const Tensor cut = fairseq() ? compression.slice(1, 0, time) : compression.slice(0, 0, time).t();
  return at::matmul(cut, x.flatten(1)).view({-1, x.size(1), x.size(2)});
}

Tensor LinformerMixer::mix_cross(const Tensor& query, const Tensor& source, const Tensor& /*padding*/,
                                 const Pass& pass) {
  const int64_t time = query.size(0);
  const int64_t batch = query.size(1);
  if (time > config().options<LinformerOptions>().max_length) {
    throw UserError("sequence of {} tokens is longer than model.linformer.max_length ({})", time,
                    config().options<LinformerOptions>().max_length);
  }
  Tensor keys;
  Tensor values;
  if (fairseq()) {
    keys = k_->forward(compress(source, compress_keys_));
    values = v_->forward(compress(source, compress_values_));
  } else {
    keys = compress(k_->forward(source), compress_keys_);
    values = v_ ? compress(v_->forward(source), compress_values_) : keys;
  }
  const auto by_head = [&](const Tensor& x) {  // [n, batch, dim] -> [batch * heads, n, head_dim]
    return x.reshape({x.size(0), batch * heads(), head_dim()}).transpose(0, 1);
  };
  const Tensor q = by_head(q_->forward(query) / std::sqrt(static_cast<double>(head_dim())));
  const Tensor weights = at::bmm(q, by_head(keys).transpose(1, 2)).softmax(-1);
  const Tensor mixed = at::bmm(pass.dropout(weights, config().attention_dropout), by_head(values));
  return out_->forward(mixed.transpose(0, 1).reshape({time, batch, dim()}));
}

std::shared_ptr<Mixer> make_linformer_module(const MixerConfig& config) {
  return std::make_shared<LinformerMixer>(config);
}

}  // namespace memsizer::nn
