#include "mechanisms/linformer/step.h"

#include <cmath>

#include "core/error.h"
#include "kernels/attention.h"
#include "kernels/memory.h"
#include "kernels/rows.h"

namespace memsizer::runtime {
namespace {

std::vector<float> transposed(const std::vector<float>& numbers, int64_t rows, int64_t columns) {
  std::vector<float> result(numbers.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) result[c * rows + r] = numbers[r * columns + c];
  }
  return result;
}

}  // namespace

LinformerMixer::LinformerMixer(const MixerConfig& config, const Weights& weights)
    : dim_(config.dim),
      heads_(config.heads),
      slots_(config.options<LinformerOptions>().slots),
      max_length_(config.options<LinformerOptions>().max_length),
      compress_first_(config.options<LinformerOptions>().form == LinformerForm::Fairseq),
      query_(weights, {"q_proj"}),
      key_(weights, {"k_proj"}),
      keys_are_values_(!weights.contains("v_proj.weight")),
      output_(weights, {"out_proj"}) {
  if (!keys_are_values_) value_ = Linear(weights, {"v_proj"});
  const auto compression = [&](const std::string& side) {
    return compress_first_ ? transposed(weights.floats("compress_" + side + ".weight"), slots_, max_length_)
                           : weights.floats("proj_" + side);
  };
  compress_keys_ = compression("k");
  compress_values_ = config.options<LinformerOptions>().shared ? compress_keys_ : compression("v");
}

void LinformerMixer::compress(const std::vector<float>& compression, ConstRows x, int64_t tokens,
                              float* out) const {
  std::fill_n(out, slots_ * dim_, 0.0F);
  for (int64_t t = 0; t < tokens; ++t)
    kernels::memory_write(compression.data() + t * slots_, x.data + t * x.stride, slots_, dim_, out, dim_);
}

void LinformerMixer::encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = sequences.tokens();
  float* queries = frame.floats(tokens * dim_);
  query_.apply(work, x, tokens, {queries, dim_});
  const int64_t head_dim = dim_ / heads_;
  kernels::scale(queries, tokens * dim_, 1.0F / std::sqrt(static_cast<float>(head_dim)));
  float* mixed = frame.floats(tokens * dim_);
  float* compressed = frame.floats(slots_ * dim_);
  float* keys = frame.floats(slots_ * dim_);
  float* values = frame.floats(slots_ * dim_);
  for (int64_t i = 0; i < sequences.sequences(); ++i) {
    const int64_t length = sequences.length(i);
    if (length > max_length_) {
      throw UserError("sequence of {} tokens is longer than model.linformer.max_length ({})", length,
                      max_length_);
    }
    const ConstRows in{x.data + sequences.begin(i) * x.stride, x.stride};
    if (compress_first_) {
      compress(compress_keys_, in, length, compressed);
      key_.apply(work, {compressed, dim_}, slots_, {keys, dim_});
      compress(compress_values_, in, length, compressed);
      value_.apply(work, {compressed, dim_}, slots_, {values, dim_});
    } else {
      Scratch::Frame inner(work.scratch);
      float* projected = inner.floats(length * dim_);
      key_.apply(work, in, length, {projected, dim_});
      compress(compress_keys_, {projected, dim_}, length, keys);
      if (!keys_are_values_) {
        value_.apply(work, in, length, {projected, dim_});
        compress(compress_values_, {projected, dim_}, length, values);
      }
    }
    const kernels::AttentionTask task{.queries = {queries + sequences.begin(i) * dim_, dim_},
                                      .count = length,
                                      .keys = keys,
                                      .values = keys_are_values_ ? keys : values,
                                      .stride = dim_,
                                      .visible = slots_,
                                      .head_dim = head_dim,
                                      .out = {mixed + sequences.begin(i) * dim_, dim_}};
    Scratch::Frame inner(work.scratch);
    kernels::attention(task, 0, heads_, inner.floats(kernels::attention_scratch(task)));
  }
  output_.apply(work, {mixed, dim_}, tokens, out);
}

std::unique_ptr<Mixer> make_linformer_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<LinformerMixer>(config, weights);
}

}  // namespace memsizer::runtime
