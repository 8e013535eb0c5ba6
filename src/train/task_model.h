#pragma once

#include <memory>

#include "decode/step_model.h"
#include "model/model_config.h"
#include "nn/pass.h"
#include "train/losses.h"
#include "train/token_batch.h"

namespace memsizer::train {

// A model as the trainer sees it: an encoder-decoder or a language model.
class TaskModel {
 public:
  virtual ~TaskModel() = default;

  virtual torch::nn::Module& module() = 0;
  virtual const ModelConfig& config() const = 0;
  virtual void initialise(at::Generator& generator) = 0;

  // Summed over the batch's targets. `lesson` is what a teacher says of them, or null; adaptive softmax
  // learns from none (std::logic_error).
  virtual Loss loss(const TokenBatch& batch, double label_smoothing, const Lesson* lesson,
                    const nn::Pass& pass) = 0;

  // The last layer's output for each target [batch, target, dim], and the weight [vocab, dim] that makes
  // logits of it, which adaptive softmax does not have.
  virtual at::Tensor features(const TokenBatch& batch, const nn::Pass& pass) = 0;
  virtual at::Tensor output_weight() const = 0;

  // Ready to generate for each row of `source` [batch, time]; a language model cannot (std::logic_error).
  virtual std::unique_ptr<decode::StepModel> start(const at::Tensor& source) = 0;
};

// Built with uninitialised weights.
std::unique_ptr<TaskModel> make_task_model(const ModelConfig& config);

}  // namespace memsizer::train
