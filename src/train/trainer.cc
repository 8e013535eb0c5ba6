#include "train/trainer.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "core/error.h"
#include "core/standard_error.h"
#include "model/tensor_list.h"
#include "train/changed_options.h"
#include "train/checkpoint_checksums.h"
#include "train/device.h"
#include "train/mixer_fit.h"
#include "train/process.h"
#include "train/run_log.h"
#include "train/run_report.h"
#include "train/sequence_lengths.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;

// What is told before the training starts: on a terminal at once, otherwise when everything has been found
// good, so that a mistake is one line and nothing else.
class Opening {
 public:
  explicit Opening(bool told) : told_(told) {}

  void tell(const std::string& line) {
    if (told_) lines_.push_back(line);
    if (isatty(STDERR_FILENO) != 0) tell_all();
  }

  void tell_all() {
    for (const std::string& line : lines_) memsizer::tell(line);
    lines_.clear();
  }

 private:
  bool told_;
  std::vector<std::string> lines_;
};

// The model that fits the data's vocabularies.
ModelConfig fitted(ModelConfig model, const TrainingData& data) {
  model.vocab = data.tokenizer->size();
  model.source_vocab = data.source_tokenizer ? data.source_tokenizer->size() : 0;
  if (data.source_tokenizer && model.embedding.tie == Tying::All) model.embedding.tie = Tying::Decoder;
  model.validate();
  return model;
}

ModelDescription description_of(const Recipe& recipe, const TrainingData& data) {
  return {.config = recipe.model,
          .task = recipe.task.kind,
          .tokenizer = data.tokenizer->serialized(),
          .source_tokenizer = data.source_tokenizer ? data.source_tokenizer->serialized() : "",
          .generation = recipe.generation};
}

}  // namespace

Trainer::Trainer(Recipe recipe, fs::path folder, bool resume, std::unique_ptr<Group> group)
    : recipe_(std::move(recipe)),
      folder_(std::move(folder)),
      resume_(resume),
      group_(std::move(group)),
      checkpoints_(folder_.checkpoints()) {}

Trainer::~Trainer() = default;

void Trainer::open() {
  const bool writer = group_->is_writer();
  Opening opening(writer);
  if (writer) entered_.emplace(folder_.open(resume_));
  const at::Device device = training_device(recipe_.training);
  const std::vector<int64_t> steps = group_->writer_first([&] {
    if (writer) checkpoints_.open();
    return checkpoints_.steps();
  });
  if (folder_.holds_run()) {
    const Recipe begun = load_recipe(folder_.recipe(), {});
    for (const std::string& line : changed_options(begun, recipe_, !steps.empty(), folder_.path().string()))
      opening.tell(line);
  }
  // A run that goes on has weights of its own.
  if (steps.empty() && !recipe_.training.init_from.empty()) {
    origin_.emplace("training.init_from", recipe_.training.init_from);
    origin_->require_fit(recipe_);
  }
  std::optional<TrainedModel> teacher;
  if (!recipe_.training.teacher.empty()) {
    teacher.emplace("training.teacher", recipe_.training.teacher);
    teacher->require_fit(recipe_);
    teacher->require_logits();
  }
  const TrainedModel* trained = origin_ ? &*origin_ : teacher ? &*teacher : nullptr;
  data_ = group_->writer_first([&] {
    return open_training_data(recipe_, folder_, folder_.holds_run() || !writer,
                              trained ? &trained->description() : nullptr,
                              [&](const std::string& line) { opening.tell(line); });
  });
  interruption_.emplace();
  set_threads(static_cast<int>(recipe_.training.threads));
  recipe_.model = fitted(recipe_.model, *data_);
  check_sequence_lengths(recipe_, *data_, [&](const std::string& line) { opening.tell(line); });
  if (origin_) {
    origin_->require_vocabulary(*data_);
    origin_->require_architecture(recipe_.model);
  }
  if (teacher) teacher->require_vocabulary(*data_);
  learner_ = std::make_unique<Learner>(recipe_, description_of(recipe_, *data_), device, *group_);
  batches_ = std::make_unique<BatchStream>(data_->train, recipe_, Share{group_->rank(), group_->size()});
  nn::TakenTensors taken;
  if (origin_) {
    taken = learner_->start_from(origin_->file());
    for (const std::string& line : described(taken, origin_->path())) opening.tell(line);
  }
  if (teacher) {
    learner_->learn_from(teacher->frozen(device));
    opening.tell(
        fmt::format("teacher: {}, with {} of the loss", teacher->path(), recipe_.training.teacher_weight));
  }
  if (!steps.empty()) {
    const CheckpointFiles checkpoint = checkpoints_.files(steps.back());
    restore(checkpoint);
    opening.tell(fmt::format("resuming from {}", checkpoint.folder.string()));
  }
  if (writer) {
    write_text(folder_.recipe(), recipe_.to_toml());
    observer_ = std::make_unique<RunLog>(folder_, recipe_.training, resumed_ ? state_.updates : -1);
  } else {
    observer_ = std::make_unique<TrainingObserver>();
  }
  opening.tell_all();
  if (origin_) observer_->took(origin_->path(), taken);
}

// Starts anew when a run is interrupted in it: there is no checkpoint before the first update.
bool Trainer::fit_mixers() {
  const int64_t updates = recipe_.training.init_fit_updates;
  if (!origin_ || updates == 0) return true;
  MixerFit fit(origin_->frozen(learner_->device()), learner_->model(), *group_);
  BatchStream batches(data_->train, recipe_, Share{group_->rank(), group_->size()});
  if (!fit.run(updates, batches, *interruption_, *observer_)) return false;
  learner_->restart_average();
  return true;
}

void Trainer::restore(const CheckpointFiles& checkpoint) {
  verify_checksums(checkpoint);
  learner_->load(checkpoint);
  state_ = TrainerState::read(checkpoint.state());
  if (state_.corpus != data_->train.key()) {
    throw UserError(
        "the training data of {} have changed since {}; put them back, or start anew in another folder with "
        "--out",
        folder_.path().string(), checkpoint.folder.string());
  }
  learner_->set_state(state_.learner);
  try {
    batches_->seek(state_.position);
  } catch (const UserError& error) {
    throw UserError("{}: {}; delete that checkpoint to go on from the one before",
                    checkpoint.state().string(), error.what());
  }
  resumed_ = true;
}

TrainingResult Trainer::run() {
  if (!data_) open();
  TrainingLoop loop(recipe_, {*this, *group_, *observer_, *interruption_}, state_, resumed_);
  if (fit_mixers()) {
    origin_.reset();
    if (loop.run()) return finish();
  }
  TrainingResult stopped;
  stopped.updates = state_.updates;
  stopped.seconds = state_.seconds;
  return stopped;
}

Update Trainer::update(double learning_rate) {
  return learner_->update(batches_->next_update(), learning_rate);
}

std::optional<Validation> Trainer::validate() {
  if (!data_->valid) return std::nullopt;
  const WeightSwap swap = learner_->with_averaged_weights();
  Evaluation found = evaluate(learner_->model(), *data_->valid, *data_, recipe_,
                              recipe_.validation.max_sentences, recipe_.validation.beam);
  std::vector<report::SampleOutput> samples = samples_of(found, *data_->valid, recipe_.validation.samples);
  return Validation{std::move(found), std::move(samples)};
}

void Trainer::save(const TrainerState& state) {
  if (group_->is_writer()) {
    checkpoints_.save(state.updates, [&](const CheckpointFiles& files) {
      learner_->save(files);
      TrainerState stored = state;
      stored.learner = learner_->state();
      stored.corpus = data_->train.key();
      nlohmann::json json = stored.to_json();
      json["threads"] = at::get_num_threads();
      write_text(files.state(), json.dump(2));
    });
    checkpoints_.prune(recipe_.training.keep_last, state.best_step);
  }
  group_->barrier();
}

std::string Trainer::describe(const Update& update) const {
  const std::vector<int64_t> steps = checkpoints_.steps();
  return fmt::format("{}; {}", batches_->describe(update.last_batch),
                     steps.empty() ? "no checkpoint was written yet"
                                   : fmt::format("the last good checkpoint is {}",
                                                 checkpoints_.files(steps.back()).folder.string()));
}

// The mean of the last checkpoints, or the best one.
void Trainer::make_model() {
  const std::vector<int64_t> steps = checkpoints_.steps();
  std::vector<fs::path> chosen;
  if (recipe_.training.average_last > 0) {
    const auto count = std::min<size_t>(steps.size(), static_cast<size_t>(recipe_.training.average_last));
    for (size_t i = steps.size() - count; i < steps.size(); ++i)
      chosen.push_back(checkpoints_.files(steps[i]).model());
  } else {
    const int64_t step = state_.best_step >= 0 ? state_.best_step : steps.back();
    chosen.push_back(checkpoints_.files(step).model());
  }
  average_models(chosen, folder_.model());
}

TrainingResult Trainer::finish() {
  TrainingResult result;
  result.finished = true;
  result.model = folder_.model();
  result.updates = state_.updates;
  result.seconds = state_.seconds;
  // The group has nothing to decide any more.
  if (!group_->is_writer()) return result;
  make_model();
  learner_->load_model(folder_.model());
  const auto measure = [&](const std::optional<EvaluationSet>& set, bool keep_outputs) {
    report::Scalars scalars;
    if (!set) return scalars;
    const Evaluation found = evaluate(learner_->model(), *set, *data_, recipe_, 0, recipe_.generation.beam);
    scalars = {{"nll", found.nll}, {"perplexity", found.perplexity}};
    scalars.insert(scalars.end(), found.scores.begin(), found.scores.end());
    result.samples = samples_of(found, *set, 20);
    if (keep_outputs && !found.outputs.empty())
      write_text(folder_.test_outputs(), fmt::format("{}\n", fmt::join(found.outputs, "\n")));
    return scalars;
  };
  result.valid = measure(data_->valid, false);
  result.test = measure(data_->test, true);
  write_results(folder_, result, recipe_, count_parameters(tensor_list(recipe_.model)), state_);
  return result;
}

}  // namespace memsizer::train
