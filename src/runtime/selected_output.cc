#include "runtime/selected_output.h"

#include <algorithm>

namespace memsizer::runtime {

void SelectedOutput::cover(const Model& model, Work& work, std::span<const decode::RowGroup> groups) {
  const auto covered = [&](const decode::RowGroup& group) { return lists_.contains(group.among.get()); };
  if (std::ranges::all_of(groups, covered)) return;
  lists_.clear();
  for (const decode::RowGroup& group : groups)
    lists_.try_emplace(group.among.get(), Covered{group.among, {}});
  column_of_token_.resize(static_cast<size_t>(model.vocab()), -1);
  const auto has_row = [&](int32_t token) { return column_of_token_[static_cast<size_t>(token)] >= 0; };
  const bool enough = std::ranges::all_of(
      lists_, [&](const auto& entry) { return std::ranges::all_of(*entry.first, has_row); });
  if (!enough) select(model, work);
  for (auto& [list, entry] : lists_) {
    for (const int32_t token : *list) entry.columns.push_back(column_of_token_[static_cast<size_t>(token)]);
  }
}

void SelectedOutput::select(const Model& model, Work& work) {
  std::ranges::fill(column_of_token_, -1);
  for (const auto& [list, entry] : lists_) {
    for (const int32_t token : *list) column_of_token_[static_cast<size_t>(token)] = 0;
  }
  std::vector<int32_t> tokens;
  for (size_t token = 0; token < column_of_token_.size(); ++token) {
    if (column_of_token_[token] < 0) continue;
    column_of_token_[token] = static_cast<int32_t>(tokens.size());
    tokens.push_back(static_cast<int32_t>(token));
  }
  matrix_ = model.output_rows(work, tokens);
}

}  // namespace memsizer::runtime
