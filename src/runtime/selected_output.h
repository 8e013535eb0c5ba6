#pragma once

#include <unordered_map>
#include <vector>

#include "decode/step_model.h"
#include "runtime/model.h"

namespace memsizer::runtime {

// The rows of the output matrix that the lists of a running batch have together. They change when requests
// join, not with every step.
class SelectedOutput {
 public:
  // Makes the tokens of all lists its rows; every group must have a list.
  void cover(const Model& model, Work& work, std::span<const decode::RowGroup> groups);

  const kernels::PackedMatrix& matrix() const { return matrix_; }
  // Where the tokens of a list are among the rows.
  std::span<const int32_t> columns(const decode::TokenList& list) const {
    return lists_.at(list.get()).columns;
  }

 private:
  struct Covered {
    decode::TokenList list;  // so that no other list gets its address
    std::vector<int32_t> columns;
  };

  void select(const Model& model, Work& work);

  std::unordered_map<const std::vector<int32_t>*, Covered> lists_;
  std::vector<int32_t> column_of_token_;  // [vocab], -1 for tokens without a row
  kernels::PackedMatrix matrix_;
};

}  // namespace memsizer::runtime
