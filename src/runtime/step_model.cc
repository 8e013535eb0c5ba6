#include "runtime/step_model.h"

namespace memsizer::runtime {

std::span<float> RuntimeStepModel::advance(std::span<const int32_t> tokens) {
  const size_t rows = tokens.size();
  while (offsets_.size() <= rows) offsets_.push_back(static_cast<int64_t>(offsets_.size()));
  const auto count = rows * static_cast<size_t>(vocab());
  if (scores_.size() < count) scores_.resize(count);
  model_.advance(work_, Ragged{std::span(offsets_).first(rows + 1)}, tokens, state_, Model::Scores::LastToken,
                 scores_.data());
  return std::span(scores_).first(count);
}

}  // namespace memsizer::runtime
