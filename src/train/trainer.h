#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/model_file.h"
#include "report/event_writer.h"
#include "report/metrics_log.h"
#include "report/progress.h"
#include "train/checkpoints.h"
#include "train/evaluation.h"
#include "train/interruption.h"
#include "train/optimizer.h"
#include "train/trainer_state.h"

namespace memsizer::train {

// What a finished (or interrupted) run came to.
struct TrainingResult {
  bool finished = false;  // false: stopped by a signal, can be resumed
  std::filesystem::path model;
  int64_t updates = 0;
  double seconds = 0.0;
  std::vector<std::pair<std::string, double>> valid;
  std::vector<std::pair<std::string, double>> test;
  std::vector<report::SampleOutput> samples;
};

// Trains one recipe in one folder: checkpoints/, recipe.toml, metrics.jsonl, events, and at the end
// model.safetensors, results.json and report.html.
class Trainer {
 public:
  // A folder that holds a run already is refused unless `resume`; with it, the run goes on from its last
  // checkpoint (or starts, if there is none).
  Trainer(const Recipe& recipe, const std::filesystem::path& folder, bool resume);
  ~Trainer();

  TrainingResult run();

  TaskModel& model() { return *model_; }
  const TrainingData& data() const { return data_; }
  const Recipe& recipe() const { return recipe_; }

 private:
  struct Update {
    double loss = 0.0;
    double nll = 0.0;
    int64_t tokens = 0;
    double gradient_norm = 0.0;
    double learning_rate = 0.0;
  };

  // What is told before the training starts: on a terminal at once, otherwise when everything has been found
  // good, so that a mistake is one line and nothing else.
  void tell(const std::string& line);
  void tell_opening();

  void build_model();
  void restore(int64_t step);
  void train();
  Update update();
  void check(const Update& update);
  void average_weights();
  bool limit_reached() const;
  void log(const Update& update);
  void validate();
  void save();
  std::string last_checkpoint() const;
  TrainingResult finish();
  double seconds_now() const;

  Recipe recipe_;
  std::filesystem::path folder_;
  std::vector<std::string> opening_;
  at::Device device_;
  Checkpoints checkpoints_;
  TrainingData data_;
  ModelDescription description_;
  std::unique_ptr<TaskModel> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::map<std::string, at::Tensor> ema_;  // empty: none
  std::unique_ptr<BatchStream> batches_;
  ScheduleOptions schedule_;
  TrainerState state_;
  Interruption interruption_;
  std::unique_ptr<report::MetricsLog> metrics_;
  std::unique_ptr<report::EventWriter> events_;
  std::unique_ptr<report::Progress> progress_;
  double started_ = 0.0;     // on the steady clock
  double last_saved_ = 0.0;  // seconds of training
  int64_t last_saved_step_ = -1;
  int64_t last_validated_step_ = -1;
};

}  // namespace memsizer::train
