#include "runtime/step_model.h"

#include <algorithm>

namespace memsizer::runtime {

Ragged RuntimeStepModel::one_token_each(size_t rows) {
  while (offsets_.size() <= rows) offsets_.push_back(static_cast<int64_t>(offsets_.size()));
  return {std::span(offsets_).first(rows + 1)};
}

float* RuntimeStepModel::room_for_scores(size_t count) {
  if (scores_.size() < count) scores_.resize(count);
  return scores_.data();
}

std::span<float> RuntimeStepModel::advance(std::span<const int32_t> tokens) {
  const auto count = tokens.size() * static_cast<size_t>(vocab());
  float* scores = room_for_scores(count);
  model_.advance(work_, one_token_each(tokens.size()), tokens, state_, Model::Scores::LastToken, scores);
  return {scores, count};
}

std::span<float> RuntimeStepModel::advance_among(std::span<const int32_t> tokens,
                                                 std::span<const decode::RowGroup> groups) {
  const auto wants_all = [](const decode::RowGroup& group) { return group.among == nullptr; };
  if (std::ranges::any_of(groups, wants_all)) return StepModel::advance_among(tokens, groups);
  selected_.cover(model_, work_, groups);
  const auto width = static_cast<size_t>(selected_.matrix().rows());
  float* scores = room_for_scores(tokens.size() * width);
  model_.advance(work_, one_token_each(tokens.size()), tokens, state_, selected_.matrix(), scores);
  columns_.clear();
  for (const decode::RowGroup& group : groups)
    columns_.push_back({group.rows, selected_.columns(group.among)});
  return decode::keep_columns({scores, tokens.size() * width}, width, columns_);
}

}  // namespace memsizer::runtime
