#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/random.h"
#include "train/batch_position.h"

namespace memsizer::train {

// What the learner keeps beside its tensors.
struct LearnerState {
  Random random;  // of dropout and the like
  double loss_scale = 65536.0;
  int64_t good_updates = 0;  // since the scale last changed
};

// How far a run has come, beside its weights and the optimizer's tensors. All of it goes into trainer.json,
// and comes back to the bit.
struct TrainerState {
  int64_t updates = 0;
  BatchPosition position;
  LearnerState learner;
  double seconds = 0.0;  // of training, resumptions added up
  int64_t tokens = 0;    // targets trained on
  std::string corpus;    // key of the training data

  double best_quality = -std::numeric_limits<double>::infinity();
  int64_t best_step = -1;
  int64_t worse_validations = 0;

  // Since the last line of the log.
  double log_loss = 0.0;
  double log_nll = 0.0;
  double log_teacher = 0.0;
  int64_t log_tokens = 0;
  double log_seconds = 0.0;

  nlohmann::json to_json() const;
  // Throws UserError; `name` opens the message.
  static TrainerState read(const std::filesystem::path& path);
  static TrainerState from_json(const nlohmann::json& json, const std::string& name);
};

}  // namespace memsizer::train
