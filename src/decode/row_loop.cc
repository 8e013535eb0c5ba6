#include "decode/row_loop.h"

#include <algorithm>
#include <stdexcept>

namespace memsizer::decode {

void RowLoop::join(Generation& generation) {
  live_.push_back({&generation, model_rows_, 1});
  ++model_rows_;
}

bool RowLoop::lay_out() {
  parents_.clear();
  tokens_.clear();
  groups_.clear();
  bool same_rows = true;
  for (Live& live : live_) {
    const size_t first = parents_.size();
    for (const NextRow& row : live.generation->next_rows()) {
      const int64_t parent = static_cast<int64_t>(live.first) + row.parent;
      same_rows = same_rows && parent == static_cast<int64_t>(parents_.size());
      parents_.push_back(parent);
      tokens_.push_back(row.token);
    }
    live.first = first;
    live.rows = parents_.size() - first;
    groups_.push_back({live.rows, live.generation->among()});
  }
  return same_rows && parents_.size() == model_rows_;
}

std::span<float> RowLoop::advance() {
  const bool listed =
      std::ranges::any_of(groups_, [](const RowGroup& group) { return group.among != nullptr; });
  return listed ? model_.advance_among(tokens_, groups_) : model_.advance(tokens_);
}

void RowLoop::step() {
  drop_done();
  if (live_.empty()) return;
  if (!lay_out()) model_.reorder(parents_);
  model_rows_ = parents_.size();
  const auto vocab = static_cast<size_t>(model_.vocab());
  std::span<float> logits = advance();
  for (const Live& live : live_) {
    const TokenList& among = live.generation->among();
    const size_t count = live.rows * (among ? among->size() : vocab);
    if (logits.size() < count) throw std::logic_error("a model's logits are fewer than [rows, vocab]");
    try {
      live.generation->step(logits.first(count), scratch_);
    } catch (...) {
      live.generation->fail(std::current_exception());
    }
    logits = logits.subspan(count);
  }
  if (!logits.empty()) throw std::logic_error("a model's logits are more than [rows, vocab]");
  drop_done();
}

void RowLoop::drop_done() {
  for (size_t i = 0; i < live_.size();) {
    if (!live_[i].generation->done()) {
      ++i;
      continue;
    }
    // The last request fills the hole if it fits, so that no other row has to move.
    if (live_[i].rows == live_.back().generation->next_rows().size()) {
      live_[i] = live_.back();
      live_.pop_back();
    } else {
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace memsizer::decode
