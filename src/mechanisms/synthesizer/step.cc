#include "mechanisms/synthesizer/step.h"

#include <algorithm>

#include "core/error.h"
#include "kernels/memory.h"
#include "kernels/rows.h"

namespace memsizer::runtime {

SynthesizerMixer::SynthesizerMixer(const MixerConfig& config, const Weights& weights)
    : dim_(config.dim),
      heads_(config.heads),
      max_length_(config.options<SynthesizerOptions>().max_length),
      random_logits_(weights.floats_if_any("attention_weight")),
      value_(weights, {"linear_v"}),
      output_(weights, {"linear_out"}) {
  if (!random_logits_.empty()) return;
  dense1_ = Linear(weights, {"linear1"});
  dense2_ = Linear(weights, {"linear2"});
}

void SynthesizerMixer::require_length(int64_t tokens) const {
  if (tokens <= max_length_) return;
  throw UserError("sequence of {} tokens is longer than model.synthesizer.max_length ({})", tokens,
                  max_length_);
}

float* SynthesizerMixer::dense_logits(Work& work, Scratch::Frame& frame, ConstRows x, int64_t tokens) const {
  if (!random_logits_.empty()) return nullptr;
  float* hidden = frame.floats(tokens * dim_);
  dense1_.apply(work, x, tokens, {hidden, dim_}, Unary::Relu);
  float* logits = frame.floats(tokens * dense2_.out());
  dense2_.apply(work, {hidden, dim_}, tokens, {logits, dense2_.out()});
  return logits;
}

void SynthesizerMixer::mix(const float* dense_row, int64_t position, int64_t visible, const float* values,
                           int64_t stride, const int32_t* tokens, float* weights, float* out) const {
  const int64_t head_dim = dim_ / heads_;
  std::fill_n(out, dim_, 0.0F);
  for (int64_t head = 0; head < heads_; ++head) {
    const float* logits = dense_row ? dense_row + head * max_length_
                                    : random_logits_.data() + (head * max_length_ + position) * max_length_;
    std::copy_n(logits, visible, weights);
    kernels::softmax(weights, visible);
    for (int64_t i = 0; i < visible; ++i) {
      const float* value = values + (tokens ? tokens[i] : i) * stride + head * head_dim;
      kernels::memory_write(weights + i, value, 1, head_dim, out + head * head_dim, head_dim);
    }
  }
}

void SynthesizerMixer::encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = sequences.tokens();
  float* logits = dense_logits(work, frame, x, tokens);
  float* values = frame.floats(tokens * dim_);
  value_.apply(work, x, tokens, {values, dim_});
  float* mixed = frame.floats(tokens * dim_);
  float* weights = frame.floats(tokens * max_length_);
  for (int64_t i = 0; i < sequences.sequences(); ++i) {
    const int64_t length = sequences.length(i);
    require_length(length);
    split_rows(work, length, length * dim_, [&](int64_t t) {
      const int64_t token = sequences.begin(i) + t;
      mix(logits ? logits + token * heads_ * max_length_ : nullptr, t, length,
          values + sequences.begin(i) * dim_, dim_, nullptr, weights + token * max_length_,
          mixed + token * dim_);
    });
  }
  output_.apply(work, {mixed, dim_}, tokens, out);
}

void SynthesizerMixer::advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
                               Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  for (int64_t r = 0; r < rows.sequences(); ++r) require_length(states.seen[r] + rows.length(r));
  float* logits = dense_logits(work, frame, x, tokens);
  float* values = frame.floats(tokens * dim_);
  value_.apply(work, x, tokens, {values, dim_});
  float* mixed = frame.floats(tokens * dim_);
  float* weights = frame.floats(rows.sequences() * max_length_);
  float* cached = states.cache->layer(states.layer);
  split_rows(work, rows.sequences(), max_length_ * dim_, [&](int64_t r) {
    const std::span<const int32_t> kept = states.cache->tokens(r);
    for (int64_t t = 0; t < rows.length(r); ++t) {
      const int64_t token = rows.begin(r) + t;
      const int64_t position = states.seen[r] + t;
      std::copy_n(values + token * dim_, dim_, cached + kept[position] * dim_);
      mix(logits ? logits + token * heads_ * max_length_ : nullptr, position, position + 1, cached, dim_,
          kept.data(), weights + r * max_length_, mixed + token * dim_);
    }
  });
  output_.apply(work, {mixed, dim_}, tokens, out);
}

std::unique_ptr<Mixer> make_synthesizer_random_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<SynthesizerMixer>(config, weights);
}

std::unique_ptr<Mixer> make_synthesizer_dense_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<SynthesizerMixer>(config, weights);
}

}  // namespace memsizer::runtime
