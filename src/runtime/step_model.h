#pragma once

#include <vector>

#include "decode/step_model.h"
#include "runtime/model.h"
#include "runtime/selected_output.h"

namespace memsizer::runtime {

// A model and a state of it, as a search sees them.
class RuntimeStepModel : public decode::StepModel {
 public:
  // `model` and `work` must outlive it.
  RuntimeStepModel(const Model& model, Work& work, DecoderState state)
      : model_(model), work_(work), state_(std::move(state)) {}

  int64_t vocab() const override { return model_.vocab(); }
  void reorder(std::span<const int64_t> parents) override { state_.reorder(parents); }
  std::span<float> advance(std::span<const int32_t> tokens) override;
  // Computes only the logits that some row wants, unless a group wants all.
  std::span<float> advance_among(std::span<const int32_t> tokens,
                                 std::span<const decode::RowGroup> groups) override;

  const DecoderState& state() const { return state_; }
  // Rows that join at the end; and all rows anew.
  void append(DecoderState&& rows) { state_.append(std::move(rows)); }
  void restart(DecoderState state) { state_ = std::move(state); }

 private:
  Ragged one_token_each(size_t rows);
  float* room_for_scores(size_t count);

  const Model& model_;
  Work& work_;
  DecoderState state_;
  std::vector<int64_t> offsets_;
  std::vector<float> scores_;
  SelectedOutput selected_;
  std::vector<decode::ColumnGroup> columns_;
};

}  // namespace memsizer::runtime
