#include "mechanisms/memsizer/step_window.h"

#include <algorithm>
#include <cmath>

#include "kernels/attention.h"
#include "kernels/rows.h"

namespace memsizer::runtime {

MemsizerWindow::MemsizerWindow(const MixerConfig& config, const Weights& weights)
    : dim_(config.dim),
      heads_(config.heads),
      head_dim_(config.head_dim()),
      window_(MemsizerForm(config).window),
      output_(weights, {"window_out_proj"}) {}

void MemsizerWindow::add(Work& work, const Ragged& rows, Rows projected, const RowStates& states,
                         int64_t rings_at, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  float* mixed = frame.floats(tokens * dim_);
  const int64_t members = work.team.size();
  // Fewer rows than members: each takes some heads.
  const int64_t ranges = rows.sequences() >= members ? 1 : std::min(heads_, members);
  const int64_t items = rows.sequences() * ranges;
  const int64_t shares = std::min(items, members);
  const kernels::AttentionTask fullest{
      .queries = {}, .count = 1, .visible = window_, .head_dim = head_dim_, .out = {}};
  const int64_t room = kernels::attention_scratch(fullest);
  float* buffers = frame.floats(shares * room);
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim_));

  // A token takes the place of the one that leaves the window, so every query has its turn alone.
  const auto attend = [&](int64_t token, int64_t position, float* rings, int64_t first_head, int64_t end_head,
                          float* scratch) {
    float* query = projected.data + token * projected.stride;
    float* values = rings + window_ * dim_;
    const int64_t first = first_head * head_dim_;
    const int64_t width = (end_head - first_head) * head_dim_;
    const int64_t at = position % window_ * dim_ + first;
    std::copy_n(query + dim_ + first, width, rings + at);
    std::copy_n(query + 2 * dim_ + first, width, values + at);
    kernels::scale(query + first, width, scale);
    kernels::attention({.queries = {query, projected.stride},
                        .count = 1,
                        .keys = rings,
                        .values = values,
                        .stride = dim_,
                        .visible = std::min(position + 1, window_),
                        .head_dim = head_dim_,
                        .out = {mixed + token * dim_, dim_}},
                       first_head, end_head, scratch);
  };
  split_rows(work, shares, window_ * dim_ * tokens / shares, [&](int64_t share) {
    for (int64_t item = items * share / shares; item < items * (share + 1) / shares; ++item) {
      const int64_t r = item / ranges;
      const int64_t range = item % ranges;
      for (int64_t token = rows.begin(r); token < rows.end(r); ++token) {
        attend(token, states.seen[r] + token - rows.begin(r), states.row(r) + rings_at,
               heads_ * range / ranges, heads_ * (range + 1) / ranges, buffers + share * room);
      }
    }
  });
  output_.apply(work, {mixed, dim_}, tokens, out, Unary::None, {out.data, out.stride});
}

}  // namespace memsizer::runtime
