#include "train/training_loop.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <limits>

#include "support/messages.h"

namespace memsizer::train {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;

// Ten updates per epoch; the validation losses are told beforehand.
class FakeWork : public TrainingWork {
 public:
  std::vector<double> valid_losses;  // the last one again and again; none: no validation set
  double loss = 2.0;                 // of each token
  std::function<void()> during_update = [] {};

  std::vector<double> rates;
  int64_t validations = 0;
  std::vector<int64_t> saved;

  Update update(double learning_rate) override {
    rates.push_back(learning_rate);
    during_update();
    return {.loss = 100 * loss,
            .nll = 100 * loss,
            .tokens = 100,
            .gradient_norm = 1.0,
            .learning_rate = learning_rate};
  }
  BatchPosition position() const override {
    const auto updates = static_cast<int64_t>(rates.size());
    return {updates / 10, updates % 10};
  }
  std::optional<Validation> validate() override {
    if (valid_losses.empty()) return std::nullopt;
    const size_t i = std::min(static_cast<size_t>(validations++), valid_losses.size() - 1);
    Validation validation;
    validation.evaluation.nll = valid_losses[i];
    return validation;
  }
  void save(const TrainerState& state) override { saved.push_back(state.updates); }
  std::string describe(const Update& /*update*/) const override { return "epoch 1, batch 7"; }
};

class RecordingObserver : public TrainingObserver {
 public:
  std::vector<int64_t> trained_at;
  std::vector<Stretch> stretches;
  std::vector<int64_t> best_at;
  int ended_times = 0;

  void trained(int64_t updates, const Stretch& stretch) override {
    trained_at.push_back(updates);
    stretches.push_back(stretch);
  }
  void validated(int64_t updates, const Validation& /*validation*/, bool best) override {
    if (best) best_at.push_back(updates);
  }
  void ended() override { ++ended_times; }
};

struct LoopRun {
  Recipe recipe;
  FakeWork work;
  SingleProcess alone;
  RecordingObserver observer;
  TrainerState state;
  bool resumed = false;

  LoopRun() {
    recipe.model.vocab = 20;
    recipe.training.max_updates = 25;
    recipe.training.log_every = 10;
    recipe.training.checkpoint_every = 20;
    recipe.validation.every = 8;
  }
  bool run() { return run(alone); }
  bool run(Group& group) {
    const Interruption interruption;
    return TrainingLoop(recipe, {work, group, observer, interruption}, state, resumed).run();
  }
};

TEST(TrainingLoop, DoesEachThingInItsTurn) {
  LoopRun run;
  run.work.valid_losses = {3.0, 2.0, 2.5, 1.5};
  EXPECT_TRUE(run.run());
  EXPECT_EQ(run.state.updates, 25);
  EXPECT_EQ(run.state.tokens, 2500);
  EXPECT_EQ(run.observer.trained_at, (std::vector<int64_t>{10, 20}));
  EXPECT_EQ(run.observer.stretches[0].loss, 2.0);
  EXPECT_EQ(run.observer.stretches[1].tokens, 2000);
  EXPECT_EQ(run.state.log_tokens, 500) << "not logged yet; a resumed run will";
  // Validations after 8, 16 and 24 updates and at the end, which is also the best.
  EXPECT_EQ(run.work.validations, 4);
  EXPECT_EQ(run.observer.best_at, (std::vector<int64_t>{8, 16, 25}));
  EXPECT_EQ(run.work.saved, (std::vector<int64_t>{8, 16, 20, 25})) << "the best ones, by turn, at the end";
  EXPECT_EQ(run.state.best_step, 25);
  EXPECT_EQ(run.observer.ended_times, 1);
}

TEST(TrainingLoop, LearningRatesCountFinishedUpdates) {
  LoopRun run;
  run.recipe.training.max_updates = 3;
  run.recipe.optimizer.lr = 1.0;
  run.recipe.schedule = {.kind = ScheduleKind::Constant, .warmup = 4, .initial_lr = 0.0};
  run.run();
  EXPECT_EQ(run.work.rates, (std::vector<double>{0.0, 0.25, 0.5}));
}

TEST(TrainingLoop, StopsAtItsLimits) {
  LoopRun epochs;
  epochs.recipe.training.max_epochs = 2;
  EXPECT_TRUE(epochs.run());
  EXPECT_EQ(epochs.state.updates, 20);

  LoopRun patience;
  patience.recipe.validation.patience = 2;
  patience.work.valid_losses = {1.0, 2.0};
  patience.recipe.training.max_updates = 1000;
  EXPECT_TRUE(patience.run());
  EXPECT_EQ(patience.state.updates, 24);
  EXPECT_EQ(patience.state.best_step, 8);

  LoopRun minutes;
  minutes.recipe.training.max_minutes = 1e-9;
  EXPECT_TRUE(minutes.run());
  EXPECT_LE(minutes.state.updates, 1);
}

TEST(TrainingLoop, AResumedRunAtItsEndDoesNothingAgain) {
  LoopRun run;
  run.work.valid_losses = {3.0};
  run.state.updates = 25;
  run.resumed = true;
  EXPECT_TRUE(run.run());
  EXPECT_EQ(run.work.validations, 0);
  EXPECT_TRUE(run.work.saved.empty());
}

TEST(TrainingLoop, AnInterruptionSavesAndStops) {
  LoopRun run;
  run.work.valid_losses = {3.0};
  run.work.during_update = [&] {
    if (run.work.rates.size() == 5) ::raise(SIGTERM);
  };
  EXPECT_FALSE(run.run());
  EXPECT_EQ(run.state.updates, 5);
  EXPECT_EQ(run.work.saved, (std::vector<int64_t>{5}));
  EXPECT_EQ(run.work.validations, 0);
}

// This process, with another one that was interrupted after the seventh update.
class OtherInterrupted : public SingleProcess {
 public:
  explicit OtherInterrupted(const FakeWork& work) : work_(work) {}
  void all_reduce_sum(std::span<at::Tensor> tensors) override {
    if (work_.rates.size() < 7) return;
    for (at::Tensor& tensor : tensors) {
      if (tensor.scalar_type() == at::kLong) tensor.add_(1);
    }
  }

 private:
  const FakeWork& work_;
};

TEST(TrainingLoop, AnInterruptionOfAnotherProcessStopsThisOne) {
  LoopRun run;
  OtherInterrupted group(run.work);
  EXPECT_FALSE(run.run(group));
  EXPECT_EQ(run.state.updates, 7);
  EXPECT_EQ(run.work.saved, (std::vector<int64_t>{7}));
}

TEST(TrainingLoop, ALossThatIsNoNumberEndsTheRun) {
  LoopRun run;
  run.work.during_update = [&] {
    if (run.work.rates.size() == 5) run.work.loss = std::numeric_limits<double>::quiet_NaN();
  };
  const std::string message = message_of([&] { run.run(); });
  EXPECT_TRUE(
      has_text(message, "the loss became nan in update 5, epoch 1, batch 7; try a lower optimizer.lr"));
  EXPECT_EQ(run.state.updates, 4);
  EXPECT_TRUE(run.work.saved.empty());
  EXPECT_EQ(run.observer.ended_times, 1);
}

TEST(TrainingLoop, ALossFarAboveGuessingEndsTheRun) {
  LoopRun run;
  run.recipe.training.max_updates = 1000;
  run.work.during_update = [&] {
    if (run.work.rates.size() == 120) run.work.loss = 50.0;
  };
  EXPECT_TRUE(has_text(message_of([&] { run.run(); }), "the loss rose to 50.0 a token in update 120"));
}

}  // namespace
}  // namespace memsizer::train
