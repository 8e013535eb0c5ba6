#pragma once

#include <torch/torch.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/layer.h"
#include "train/batch_stream.h"
#include "train/group.h"
#include "train/interruption.h"
#include "train/optimizer.h"
#include "train/task_model.h"
#include "train/training_observer.h"

namespace memsizer::train {

// Fits the mixers of a model to those of the trained model that it starts from, wherever the two differ. The
// old model runs over real batches; each new mixer gets what the old one at its place got, and learns to make
// what the old one made of it (mean squared error over all tokens). None depends on another, so one pass fits
// them all.
class MixerFit {
 public:
  // The models are of one architecture. `model` and `group` outlive the fit.
  MixerFit(std::unique_ptr<TaskModel> old, TaskModel& model, Group& group);
  MixerFit(const MixerFit&) = delete;
  MixerFit& operator=(const MixerFit&) = delete;

  // The new mixers: "decoder.layers.0.self_attn".
  std::vector<std::string> names() const;

  // One step of every new mixer over the batches of all processes, and how far each was off before it.
  std::vector<MixerError> update(std::span<const TokenBatch> batches, double learning_rate);

  // So many updates at a rate that falls to zero. False: interrupted.
  bool run(int64_t updates, BatchStream& batches, const Interruption& interruption,
           TrainingObserver& observer);

 private:
  struct Pair {
    std::string name;
    const nn::Mixer* old;
    std::shared_ptr<nn::Mixer> fitted;
    MixerError error;  // of this update: sums of means per batch
  };

  void watch_layers();
  void learn(const nn::Mixed& mixed);

  std::unique_ptr<TaskModel> old_;
  Group& group_;
  at::Device device_;
  std::vector<Pair> pairs_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace memsizer::train
