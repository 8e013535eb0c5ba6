#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/metrics_log.h"
#include "train/batch_stream.h"
#include "train/checkpoints.h"
#include "train/evaluation.h"
#include "train/group.h"
#include "train/interruption.h"
#include "train/learner.h"
#include "train/run_folder.h"
#include "train/trained_model.h"
#include "train/trainer_state.h"
#include "train/training_loop.h"

namespace memsizer::train {

// What a finished (or interrupted) run came to.
struct TrainingResult {
  bool finished = false;  // false: stopped by a signal, can be resumed
  std::filesystem::path model;
  int64_t updates = 0;
  double seconds = 0.0;
  report::Scalars valid;
  report::Scalars test;
  std::vector<report::SampleOutput> samples;
};

// Trains one recipe in one folder: puts the parts of a training together, and makes the final model of what
// the loop leaves. Every process of a group has a trainer; the writer's alone writes and prints.
class Trainer : private TrainingWork {
 public:
  // A folder that holds a run already is refused unless `resume`; with it, the run goes on from its last
  // checkpoint (or starts, if there is none).
  Trainer(Recipe recipe, std::filesystem::path folder, bool resume,
          std::unique_ptr<Group> group = std::make_unique<SingleProcess>());
  ~Trainer() override;

  // Enters the folder, opens the data, builds or restores the model. Anything that is wrong is a UserError.
  void open();

  // Opens, if that has not been done, and trains.
  TrainingResult run();

  // Once it is open.
  TaskModel& model() { return learner_->model(); }
  const TrainingData& data() const { return *data_; }
  const Recipe& recipe() const { return recipe_; }  // with the vocabularies filled in

 private:
  Update update(double learning_rate) override;
  BatchPosition position() const override { return batches_->position(); }
  std::optional<Validation> validate() override;
  void save(const TrainerState& state) override;
  std::string describe(const Update& update) const override;

  void restore(const CheckpointFiles& checkpoint);
  bool fit_mixers();
  void make_model();
  TrainingResult finish();

  Recipe recipe_;
  RunFolder folder_;
  bool resume_;
  std::unique_ptr<Group> group_;
  Checkpoints checkpoints_;
  TrainerState state_;
  // Made by open().
  std::optional<FileLock> entered_;     // the folder; the writer's
  bool resumed_ = false;                // from a checkpoint
  std::optional<TrainedModel> origin_;  // what the weights start from, until they do
  std::optional<TrainingData> data_;
  std::optional<Interruption> interruption_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<BatchStream> batches_;
  std::unique_ptr<TrainingObserver> observer_;
};

}  // namespace memsizer::train
