#pragma once

#include <optional>
#include <string>

#include "train/batch_position.h"
#include "train/group.h"
#include "train/interruption.h"
#include "train/learner.h"
#include "train/recipe.h"
#include "train/trainer_state.h"
#include "train/training_observer.h"

namespace memsizer::train {

// What the loop has done for it: it decides when, not how.
class TrainingWork {
 public:
  TrainingWork() = default;
  TrainingWork(const TrainingWork&) = delete;
  TrainingWork& operator=(const TrainingWork&) = delete;
  virtual ~TrainingWork() = default;

  // Learns from the next batches.
  virtual Update update(double learning_rate) = 0;
  virtual BatchPosition position() const = 0;
  // Nothing without a validation set.
  virtual std::optional<Validation> validate() = 0;
  virtual void save(const TrainerState& state) = 0;
  // Which batch the last update ended with, and what the run can go back to, for messages.
  virtual std::string describe(const Update& update) const = 0;
};

// Trains until a limit of the recipe or an interruption: updates, the log, validations, checkpoints. All
// processes of the group run it and stop at the same update.
class TrainingLoop {
 public:
  struct Parts {
    TrainingWork& work;
    Group& group;
    TrainingObserver& observer;
    const Interruption& interruption;
  };

  // `state` is that of the run, which goes on from there; `resumed` tells that a checkpoint of it exists.
  TrainingLoop(const Recipe& recipe, Parts parts, TrainerState& state, bool resumed);

  // False: interrupted. In any case everything is saved. A loss that is no number or far too large is a
  // UserError.
  bool run();

 private:
  bool limit_reached();
  bool interrupted() { return parts_.group.any(parts_.interruption.requested()); }
  Update update();
  void check(const Update& update);
  void log(const Update& update);
  void validate();
  void save();
  double seconds_now() const;

  const Recipe& recipe_;
  Parts parts_;
  TrainerState& state_;
  ScheduleOptions schedule_;
  double started_ = 0.0;  // on the steady clock
  double last_saved_;     // seconds of training
  int64_t last_saved_step_ = -1;
  int64_t last_validated_step_ = -1;
};

}  // namespace memsizer::train
