#pragma once

#include <memory>

#include "report/event_writer.h"
#include "report/metrics_log.h"
#include "report/progress.h"
#include "train/recipe.h"
#include "train/run_folder.h"
#include "train/training_observer.h"

namespace memsizer::train {

// Tells people and files how a training goes: the progress on the terminal, metrics.jsonl, events.
class RunLog : public TrainingObserver {
 public:
  // Cuts off what was logged after `updates`, from where the run goes on; -1: it starts.
  RunLog(const RunFolder& folder, const TrainingOptions& options, int64_t updates);

  void took(const std::string& model, const nn::TakenTensors& tensors) override;
  void fitted(int64_t updates, const std::vector<MixerError>& errors) override;
  void started(int64_t updates) override;
  void trained(int64_t updates, const Stretch& stretch) override;
  void validated(int64_t updates, const Validation& validation, bool best) override;
  void ended() override;

 private:
  void tell_fit();
  void record(int64_t updates, const std::string& kind, const report::Scalars& scalars);

  TrainingOptions options_;
  report::MetricsLog metrics_;
  report::EventWriter events_;
  std::vector<std::vector<MixerError>> fit_;    // errors of each update of the fit
  std::unique_ptr<report::Progress> progress_;  // of the fit, and from started() on that of the training
};

}  // namespace memsizer::train
