#pragma once

#include <torch/torch.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/model_file.h"
#include "nn/tensor_io.h"
#include "train/checkpoints.h"
#include "train/group.h"
#include "train/optimizer.h"
#include "train/task_model.h"
#include "train/trainer_state.h"
#include "train/weight_swap.h"

namespace memsizer::train {

// What one update came to. Losses and tokens are sums over all its batches, on all processes of the group.
struct Update {
  double loss = 0.0;  // label-smoothed, without what the teacher adds
  double nll = 0.0;
  double teacher = 0.0;  // cross-entropy to the teacher's distribution; 0 without one
  int64_t tokens = 0;
  double gradient_norm = 0.0;
  double learning_rate = 0.0;
  size_t last_batch = 0;  // of this process: where the loss stopped being a number, or the last one

  // Otherwise the weights are as they were.
  bool has_finite_loss() const;
};

// A model in training: its weights, their running average, the optimizer, the random numbers and the scale of
// the loss. Every process of a group has the same weights before and after each update.
class Learner {
 public:
  // The weights start from training.seed. `group` outlives the learner.
  Learner(const Recipe& recipe, ModelDescription description, at::Device device, Group& group);

  // One step along the gradient of the mean loss over all targets of the update, of which `batches` are this
  // process's part, possibly none.
  Update update(std::span<const TokenBatch> batches, double learning_rate);

  TaskModel& model() { return *model_; }
  at::Device device() const { return device_; }
  const LearnerState& state() const { return state_; }

  // The model has the averaged weights, if there are any, for as long as the result lives.
  [[nodiscard]] WeightSwap with_averaged_weights();

  // The model and the optimizer as files of a checkpoint; the state is stored by the caller. A checkpoint of
  // another model is a UserError.
  void save(const CheckpointFiles& files) const;
  void load(const CheckpointFiles& files);
  void set_state(const LearnerState& state) { state_ = state; }

  // Before the first update: takes the weights that fit from another model's file.
  nn::TakenTensors start_from(const SafetensorsFile& weights);
  // The average starts anew from the weights as they are, for those that were changed by others.
  void restart_average();

  // From now on the loss is shared with a frozen model of the same vocabulary, as training.teacher_weight and
  // training.teacher_temperature say.
  void learn_from(std::unique_ptr<TaskModel> teacher) { teacher_ = std::move(teacher); }

  // Takes the weights of a finished model; there is no average from then on.
  void load_model(const std::filesystem::path& path);

 private:
  Update accumulate(std::span<const TokenBatch> batches);
  Loss loss_of(const TokenBatch& batch, const nn::Pass& pass);
  Lesson lesson_of(const TokenBatch& batch);
  void step(Update& done);
  void average_weights();
  void require_same_model(const ModelConfig& stored, const std::filesystem::path& checkpoint) const;
  double loss_scale() const;

  TrainingOptions options_;
  ModelDescription description_;
  at::Device device_;
  Group& group_;
  std::unique_ptr<TaskModel> model_;
  std::unique_ptr<TaskModel> teacher_;  // null: none
  std::vector<at::Tensor> parameters_;  // those that are trained
  std::unique_ptr<Optimizer> optimizer_;
  std::map<std::string, at::Tensor> average_;  // empty: none
  LearnerState state_;
};

}  // namespace memsizer::train
