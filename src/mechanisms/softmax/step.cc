#include "mechanisms/softmax/step.h"

#include <algorithm>
#include <cmath>

#include "kernels/attention.h"
#include "kernels/rows.h"
#include "mechanisms/softmax/description.h"

namespace memsizer::runtime {
namespace {

using kernels::AttentionTask;

// Runs one task a row, each cut by heads where there are fewer rows than members.
template <typename TaskOfRow>
void attend_rows(Work& work, int64_t rows, int64_t heads, const TaskOfRow& task_of_row) {
  Scratch::Frame frame(work.scratch);
  const int64_t members = work.team.size();
  const int64_t ranges = rows >= members ? 1 : std::min(heads, members);
  int64_t room = 0;
  int64_t numbers = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const AttentionTask task = task_of_row(row);
    room = std::max(room, kernels::attention_scratch(task));
    numbers += task.most_visible() * task.count * task.head_dim * heads;
  }
  room = (room + 15) / 16 * 16;
  // A buffer for each member rather than each row: it takes its rows one after the other.
  const int64_t items = rows * ranges;
  const int64_t shares = std::min(items, members);
  float* buffers = frame.floats(shares * room);
  split_rows(work, shares, numbers / std::max<int64_t>(1, shares), [&](int64_t share) {
    for (int64_t item = items * share / shares; item < items * (share + 1) / shares; ++item) {
      const int64_t range = item % ranges;
      kernels::attention(task_of_row(item / ranges), heads * range / ranges, heads * (range + 1) / ranges,
                         buffers + share * room);
    }
  });
}

}  // namespace

SoftmaxMixer::SoftmaxMixer(const MixerConfig& config, const Weights& weights)
    : dim_(config.dim), heads_(config.heads), head_dim_(config.head_dim()), output_(weights, {"out_proj"}) {
  if (config.position == Position::Cross) {
    query_ = Linear(weights, {"q_proj"});
    inputs_ = Linear(weights, {"k_proj", "v_proj"});
  } else {
    inputs_ = Linear(weights, {"q_proj", "k_proj", "v_proj"});
  }
  if (const int64_t taps = softmax_convolution(config); taps > 0) convolution_.emplace(dim_, taps, weights);
}

void SoftmaxMixer::scale_queries(Rows queries, int64_t count) const {
  const float factor = 1.0F / std::sqrt(static_cast<float>(head_dim_));
  for (int64_t i = 0; i < count; ++i) kernels::scale(queries.data + i * queries.stride, dim_, factor);
}

void SoftmaxMixer::encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = sequences.tokens();
  const int64_t width = 3 * dim_;
  float* projected = frame.floats(tokens * width);
  inputs_.apply(work, x, tokens, {projected, width});
  scale_queries({projected, width}, tokens);
  float* mixed = frame.floats(tokens * dim_);
  attend_rows(work, sequences.sequences(), heads_, [&](int64_t i) {
    float* first = projected + sequences.begin(i) * width;
    return AttentionTask{.queries = {first, width},
                         .count = sequences.length(i),
                         .keys = first + dim_,
                         .values = first + 2 * dim_,
                         .stride = width,
                         .visible = sequences.length(i),
                         .head_dim = head_dim_,
                         .out = {mixed + sequences.begin(i) * dim_, dim_}};
  });
  output_.apply(work, {mixed, dim_}, tokens, out);
}

void SoftmaxMixer::advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
                           Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  if (convolution_) {
    const Rows convolved{frame.floats(tokens * dim_), dim_};
    convolution_->apply(work, rows, x, states, /*ring_at=*/0, convolved);
    x = {convolved.data, convolved.stride};
  }
  const int64_t width = 3 * dim_;
  float* projected = frame.floats(tokens * width);
  inputs_.apply(work, x, tokens, {projected, width});
  scale_queries({projected, width}, tokens);
  float* mixed = frame.floats(tokens * dim_);
  float* cached = states.cache->layer(states.layer);
  for (int64_t r = 0; r < rows.sequences(); ++r) {
    const std::span<const int32_t> kept = states.cache->tokens(r);
    for (int64_t t = 0; t < rows.length(r); ++t) {
      const float* row = projected + (rows.begin(r) + t) * width;
      std::copy_n(row + dim_, 2 * dim_, cached + kept[states.seen[r] + t] * 2 * dim_);
    }
  }
  attend_rows(work, rows.sequences(), heads_, [&](int64_t r) {
    return AttentionTask{.queries = {projected + rows.begin(r) * width, width},
                         .count = rows.length(r),
                         .keys = cached,
                         .values = cached + dim_,
                         .stride = 2 * dim_,
                         .tokens = states.cache->tokens(r).data(),
                         .visible = states.seen[r] + 1,
                         .visible_more = 1,
                         .head_dim = head_dim_,
                         .out = {mixed + rows.begin(r) * dim_, dim_}};
  });
  output_.apply(work, {mixed, dim_}, tokens, out);
}

void SoftmaxMixer::read(Work& work, const Ragged& sources, ConstRows x,
                        std::span<const SourceState> states) const {
  Scratch::Frame frame(work.scratch);
  const int64_t width = 2 * dim_;
  // One product for all sources, then a copy: small products are slower than that.
  float* projected = frame.floats(sources.tokens() * width);
  inputs_.apply(work, x, sources.tokens(), {projected, width});
  for (int64_t i = 0; i < sources.sequences(); ++i)
    std::copy_n(projected + sources.begin(i) * width, sources.length(i) * width, states[i].per_token);
}

void SoftmaxMixer::attend(Work& work, const Ragged& rows, ConstRows x,
                          std::span<const ConstSourceState> source_of_row, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  float* queries = frame.floats(tokens * dim_);
  query_.apply(work, x, tokens, {queries, dim_});
  scale_queries({queries, dim_}, tokens);
  float* mixed = frame.floats(tokens * dim_);
  attend_rows(work, rows.sequences(), heads_, [&](int64_t r) {
    const float* first = source_of_row[r].per_token;
    return AttentionTask{.queries = {queries + rows.begin(r) * dim_, dim_},
                         .count = rows.length(r),
                         .keys = first,
                         .values = first + dim_,
                         .stride = 2 * dim_,
                         .visible = source_of_row[r].tokens,
                         .head_dim = head_dim_,
                         .out = {mixed + rows.begin(r) * dim_, dim_}};
  });
  output_.apply(work, {mixed, dim_}, tokens, out);
}

std::unique_ptr<Mixer> make_softmax_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<SoftmaxMixer>(config, weights);
}

}  // namespace memsizer::runtime
