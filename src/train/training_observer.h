#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/tensor_io.h"
#include "report/training_report.h"
#include "train/evaluation.h"

namespace memsizer::train {

// A stretch of training: means per target since the stretch before, and how far the run is.
struct Stretch {
  double loss = 0.0;
  double nll = 0.0;
  double teacher = 0.0;        // cross-entropy to the teacher's distribution, if there is a teacher
  double learning_rate = 0.0;  // of the last update
  double gradient_norm = 0.0;  // of the last update
  int64_t epoch = 0;           // from 0
  int64_t tokens = 0;          // of the whole run
  double tokens_per_second = 0.0;
  double seconds = 0.0;  // of the whole run
};

struct Validation {
  Evaluation evaluation;
  std::vector<report::SampleOutput> samples;
};

// How far a new mixer is from the one that it replaces, as means over tokens and channels.
struct MixerError {
  std::string name;      // "decoder.layers.0.self_attn"
  double squared = 0.0;  // squared error
  double scale = 0.0;    // square of the old mixer's output
};

// Is told what happens while a model trains. This one keeps it to itself.
class TrainingObserver {
 public:
  TrainingObserver() = default;
  TrainingObserver(const TrainingObserver&) = delete;
  TrainingObserver& operator=(const TrainingObserver&) = delete;
  virtual ~TrainingObserver() = default;

  // Before the first update: the weights were taken from a trained model, then new mixers were fitted to its
  // own (no errors: none is new).
  virtual void took(const std::string& /*model*/, const nn::TakenTensors& /*tensors*/) {}
  virtual void fitted(int64_t /*updates*/, const std::vector<MixerError>& /*errors*/) {}

  virtual void started(int64_t /*updates*/) {}
  virtual void trained(int64_t /*updates*/, const Stretch& /*stretch*/) {}
  virtual void validated(int64_t /*updates*/, const Validation& /*validation*/, bool /*best*/) {}
  virtual void ended() {}
};

}  // namespace memsizer::train
