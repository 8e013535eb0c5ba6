#include "runtime/layer.h"

#include "kernels/rows.h"

namespace memsizer::runtime {

Layer::Layer(const ModelConfig& config, const Weights& weights, const MixerConfig& self,
             const MixerConfig* cross, bool pre_norm)
    : dim_(config.dim),
      pre_norm_(pre_norm),
      activation_(config.activation == Activation::Relu ? Unary::Relu : Unary::Gelu),
      self_(make_mixer(self, weights.in("self_attn"))),
      self_norm_(weights, "self_attn_layer_norm"),
      final_norm_(weights, "final_layer_norm"),
      fc1_(weights, {"fc1"}),
      fc2_(weights, {"fc2"}) {
  if (!cross) return;
  cross_ = make_mixer(*cross, weights.in("encoder_attn"));
  cross_norm_ = Norm(weights, "encoder_attn_layer_norm");
}

Layer Layer::encoder(const ModelConfig& config, int64_t layer, const Weights& weights) {
  return {config, weights, mixer_config(config, Position::EncoderSelf, layer), nullptr,
          config.encoder.pre_norm};
}

Layer Layer::decoder(const ModelConfig& config, int64_t layer, const Weights& weights) {
  const MixerConfig cross = mixer_config(config, Position::Cross, layer);
  return {config, weights, mixer_config(config, Position::CausalSelf, layer),
          config.has_encoder() ? &cross : nullptr, config.decoder.pre_norm};
}

// post-norm: x = norm(x + branch(x)); pre-norm: x = x + branch(norm(x)).
template <typename Branch>
void Layer::sublayer(Work& work, int64_t tokens, const Norm& norm, float* x, const Branch& branch) const {
  Scratch::Frame frame(work.scratch);
  float* result = frame.floats(tokens * dim_);
  const float* in = x;
  if (pre_norm_) {
    float* normal = frame.floats(tokens * dim_);
    split_rows(work, tokens, dim_, [&](int64_t t) { norm.apply(x + t * dim_, normal + t * dim_); });
    in = normal;
  }
  branch(ConstRows{in, dim_}, Rows{result, dim_});
  split_rows(work, tokens, dim_, [&](int64_t t) {
    float* row = x + t * dim_;
    if (pre_norm_) {
      kernels::add(row, result + t * dim_, dim_, row);
    } else {
      norm.apply_to_sum(row, result + t * dim_, row);
    }
  });
}

void Layer::feed_forward(Work& work, int64_t tokens, float* x) const {
  sublayer(work, tokens, final_norm_, x, [&](ConstRows in, Rows out) {
    Scratch::Frame frame(work.scratch);
    const int64_t stride = row_stride(fc1_.out());
    float* wide = frame.floats(tokens * stride);
    fc1_.apply(work, in, tokens, {wide, stride}, activation_);
    fc2_.apply(work, {wide, stride}, tokens, out);
  });
}

void Layer::encode(Work& work, const Ragged& sequences, float* x) const {
  const int64_t tokens = sequences.tokens();
  sublayer(work, tokens, self_norm_, x,
           [&](ConstRows in, Rows out) { self_->encode(work, sequences, in, out); });
  feed_forward(work, tokens, x);
}

void Layer::advance(Work& work, const Ragged& rows, const RowStates& states,
                    std::span<const ConstSourceState> source_of_row, float* x) const {
  const int64_t tokens = rows.tokens();
  sublayer(work, tokens, self_norm_, x,
           [&](ConstRows in, Rows out) { self_->advance(work, rows, in, states, out); });
  if (cross_) {
    sublayer(work, tokens, cross_norm_, x,
             [&](ConstRows in, Rows out) { cross_->attend(work, rows, in, source_of_row, out); });
  }
  feed_forward(work, tokens, x);
}

}  // namespace memsizer::runtime
