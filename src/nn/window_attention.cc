#include "nn/window_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/growing_cache.h"
#include "nn/ring.h"

namespace memsizer::nn {

using at::Tensor;

WindowAttention::WindowAttention(torch::nn::Module& owner, int64_t dim, int64_t heads, int64_t window)
    : heads_(heads), window_(window), projections_(owner, dim, heads, /*input_biases=*/true, "window_") {}

Tensor WindowAttention::forward(const Input& input, MixerState& state, bool with_state,
                                const Pass& pass) const {
  const int64_t time = input.x.size(0);
  const int64_t batch = input.x.size(1);
  const int64_t dim = input.x.size(2);
  const int64_t head_dim = dim / heads_;
  Tensor keys = projections_.k->forward(input.x);
  Tensor values = projections_.v->forward(input.x);
  const auto flags = input.x.options().dtype(at::kBool);
  Tensor hidden =
      input.skipped.defined() ? input.skipped.t() : at::zeros({time, batch}, flags);  // [tokens, batch]
  int64_t history = 0;
  if (with_state || input.before.defined()) {
    // The window before x, of which the rows that hold no token yet stay hidden.
    history = window_;
    const bool starts = !input.before.defined();
    const Tensor none = at::zeros({window_, batch, dim}, input.x.options());
    keys = at::cat({starts ? none : in_order(state["window_keys"], input.before), keys});
    values = at::cat({starts ? none : in_order(state["window_values"], input.before), values});
    const Tensor empty =
        starts ? at::ones({window_, batch}, flags)
               : at::arange(window_, input.before.options()).unsqueeze(1) < window_ - input.before;
    hidden = at::cat({empty, hidden});
  }

  const double scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
  const Tensor queries = projections_.q->forward(input.x) * scale;
  const auto by_head = [&](const Tensor& x) {  // [tokens, batch, dim] -> [batch, heads, tokens, head_dim]
    return x.reshape({x.size(0), batch, heads_, head_dim}).permute({1, 2, 0, 3});
  };
  // Pieces as long as the window cost each token at most twice its own window.
  const int64_t piece = std::max<int64_t>(window_, 64);
  std::vector<Tensor> mixed;
  for (int64_t begin = 0; begin < time; begin += piece) {
    const int64_t end = std::min(time, begin + piece);
    const int64_t first = std::max<int64_t>(0, history + begin - window_ + 1);
    const int64_t last = history + end;
    const Tensor scores = at::matmul(by_head(queries.slice(0, begin, end)),
                                     by_head(keys.slice(0, first, last)).transpose(2, 3));
    const Tensor distance = at::arange(history + begin, last, at::TensorOptions(at::kLong)).unsqueeze(1) -
                            at::arange(first, last, at::TensorOptions(at::kLong));
    const Tensor outside = ((distance < 0) | (distance >= window_)).to(scores.device());
    const Tensor masked = outside | hidden.slice(0, first, last).t().unsqueeze(1).unsqueeze(1);
    // A padded query may see nothing at all.
    const Tensor weights =
        scores.masked_fill(masked, masked_score(scores)).softmax(-1).masked_fill(masked, 0.0);
    mixed.push_back(at::matmul(pass.dropout(weights, input.dropout), by_head(values.slice(0, first, last)))
                        .permute({2, 0, 1, 3}));
  }
  if (with_state) {
    state["window_keys"] = as_ring(keys, window_, input.after);
    state["window_values"] = as_ring(values, window_, input.after);
  }
  return projections_.output(at::cat(mixed), time, batch);
}

}  // namespace memsizer::nn
