#include "train/training_loop.h"

#include <algorithm>
#include <cmath>

#include "core/clock.h"
#include "core/error.h"
#include "train/schedule.h"

namespace memsizer::train {

TrainingLoop::TrainingLoop(const Recipe& recipe, Parts parts, TrainerState& state, bool resumed)
    : recipe_(recipe),
      parts_(parts),
      state_(state),
      schedule_(resolved(recipe.schedule, recipe.training.max_updates)),
      last_saved_(state.seconds) {
  if (resumed) last_saved_step_ = last_validated_step_ = state.updates;
}

double TrainingLoop::seconds_now() const {
  return state_.seconds + steady_seconds() - started_;
}

bool TrainingLoop::run() {
  const TrainingOptions& options = recipe_.training;
  started_ = steady_seconds();
  parts_.observer.started(state_.updates);
  while (!limit_reached() && !interrupted()) {
    const Update done = update();
    check(done);
    if (state_.updates % options.log_every == 0) log(done);
    if (state_.updates % recipe_.validation.every == 0) validate();
    const bool by_time =
        options.checkpoint_minutes > 0.0 &&
        parts_.group.writer_says(seconds_now() - last_saved_ >= 60.0 * options.checkpoint_minutes);
    if (state_.updates % options.checkpoint_every == 0 || by_time) save();
  }
  if (!interrupted()) validate();
  save();
  parts_.observer.ended();
  return !interrupted();
}

// The clock is that of one process; everything else is the same on all of them.
bool TrainingLoop::limit_reached() {
  const TrainingOptions& limits = recipe_.training;
  return state_.updates >= limits.max_updates ||
         (limits.max_epochs > 0 && state_.position.epoch >= limits.max_epochs) ||
         (limits.max_minutes > 0.0 && parts_.group.writer_says(seconds_now() >= 60.0 * limits.max_minutes)) ||
         (recipe_.validation.patience > 0 && state_.worse_validations >= recipe_.validation.patience);
}

Update TrainingLoop::update() {
  const Update done = parts_.work.update(learning_rate(schedule_, recipe_.optimizer, state_.updates));
  if (!done.has_finite_loss()) return done;
  ++state_.updates;
  state_.tokens += done.tokens;
  state_.position = parts_.work.position();
  state_.log_loss += done.loss;
  state_.log_nll += done.nll;
  state_.log_teacher += done.teacher;
  state_.log_tokens += done.tokens;
  return done;
}

void TrainingLoop::check(const Update& update) {
  // Far worse than guessing every token with the same probability.
  const double guessing = std::log(static_cast<double>(recipe_.model.vocab));
  const double a_token = update.nll / static_cast<double>(update.tokens);
  const bool exploded = state_.updates > 100 && a_token > 4.0 * guessing;
  if (update.has_finite_loss() && std::isfinite(update.gradient_norm) && !exploded) return;
  parts_.observer.ended();
  const std::string what = !update.has_finite_loss() ? fmt::format("the loss became {}", update.loss)
                           : exploded                ? fmt::format("the loss rose to {:.1f} a token", a_token)
                                      : fmt::format("the gradient's norm became {}", update.gradient_norm);
  throw UserError(
      "{} in update {}, {}; try a lower optimizer.lr, a longer schedule.warmup or optimizer.clip_norm=1",
      what, update.has_finite_loss() ? state_.updates : state_.updates + 1, parts_.work.describe(update));
}

void TrainingLoop::log(const Update& update) {
  const auto tokens = static_cast<double>(state_.log_tokens);
  const double now = seconds_now();
  parts_.observer.trained(state_.updates,
                          {.loss = state_.log_loss / tokens,
                           .nll = state_.log_nll / tokens,
                           .teacher = state_.log_teacher / tokens,
                           .learning_rate = update.learning_rate,
                           .gradient_norm = update.gradient_norm,
                           .epoch = state_.position.epoch,
                           .tokens = state_.tokens,
                           .tokens_per_second = tokens / std::max(1e-9, now - state_.log_seconds),
                           .seconds = now});
  state_.log_loss = state_.log_nll = state_.log_teacher = 0.0;
  state_.log_tokens = 0;
  state_.log_seconds = now;
}

void TrainingLoop::validate() {
  if (last_validated_step_ == state_.updates) return;
  const std::optional<Validation> found = parts_.work.validate();
  if (!found) return;
  last_validated_step_ = state_.updates;
  const double quality = parts_.group.from_writer(found->evaluation.quality(recipe_.validation.metric));
  const bool better = quality > state_.best_quality;
  if (better) {
    state_.best_quality = quality;
    state_.best_step = state_.updates;
    state_.worse_validations = 0;
  } else {
    ++state_.worse_validations;
  }
  parts_.observer.validated(state_.updates, *found, better);
  // The best one must not be lost with the memory it is in.
  if (better) save();
}

void TrainingLoop::save() {
  if (last_saved_step_ == state_.updates) return;
  const double now = steady_seconds();
  state_.seconds += now - started_;
  started_ = now;
  parts_.work.save(state_);
  last_saved_step_ = state_.updates;
  last_saved_ = state_.seconds;
}

}  // namespace memsizer::train
