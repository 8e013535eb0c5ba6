#include "train/trainer.h"

#include <ATen/autocast_mode.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "core/atomic_file.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/model_checksum.h"
#include "core/tensor_list.h"
#include "nn/tensor_io.h"
#include "train/process.h"
#include "train/run_report.h"
#include "train/schedule.h"
#include "train/weight_swap.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;
using at::Tensor;

// Streams of random numbers of one run, apart from each other.
enum RandomStream : uint64_t { kWeights = 1, kDropout = 2 };

at::Device device_named(const std::string& name) {
  if (name == "cpu") return at::kCPU;
  const bool cuda = name == "cuda" || (name.starts_with("cuda:") && name.size() > 5 && name.size() < 9 &&
                                       std::all_of(name.begin() + 5, name.end(),
                                                   [](unsigned char c) { return std::isdigit(c) != 0; }));
  if (!cuda) throw UserError("training.device is '{}'; it must be cpu or cuda:N", name);
  const auto index = name == "cuda" ? 0 : std::stoi(name.substr(5));
  const auto devices = static_cast<int>(torch::cuda::device_count());
  if (index >= devices) {
    throw UserError(
        "training.device is {}, but LibTorch sees {} CUDA devices here; use cpu or a lower number", name,
        devices);
  }
  return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

// The folder of a run, created; one that holds a run already is only entered to resume it.
fs::path prepared(const fs::path& folder, bool resume) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw UserError("cannot create the folder {}: {}; choose another with --out", folder.string(),
                    error ? error.message() : "a file of that name is in the way");
  }
  if (!resume && fs::exists(folder / "recipe.toml")) {
    throw UserError(
        "{} holds a training run already; go on with it by --resume, or choose another folder with --out",
        folder.string());
  }
  return folder;
}

void write_text(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream file(path);
  nlohmann::json json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    throw UserError("{} is damaged or missing; delete that checkpoint to go on from the one before",
                    path.string());
  }
  return json;
}

std::string task_name(TaskKind kind) {
  for (const auto& [value, name] : enum_names<TaskKind>()) {
    if (value == kind) return std::string(name);
  }
  return {};
}

TokenBatch on_device(TokenBatch batch, at::Device device) {
  if (batch.source.defined()) batch.source = batch.source.to(device);
  batch.input = batch.input.to(device);
  batch.targets = batch.targets.to(device);
  return batch;
}

// Half-precision arithmetic where it is safe, for as long as the object lives.
class Autocast {
 public:
  explicit Autocast(Precision precision) : active_(precision != Precision::Fp32) {
    if (!active_) return;
    at::autocast::set_autocast_gpu_dtype(precision == Precision::Bf16 ? at::kBFloat16 : at::kHalf);
    at::autocast::set_enabled(true);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast() {
    if (!active_) return;
    at::autocast::set_enabled(false);
    at::autocast::clear_cache();
  }

 private:
  bool active_;
};

std::string shown(const std::vector<std::pair<std::string, double>>& scores) {
  std::string text;
  for (const auto& [name, value] : scores) text += fmt::format("  {} {:.2f}", name, value);
  return text;
}

}  // namespace

Trainer::Trainer(const Recipe& recipe, const fs::path& folder, bool resume)
    : recipe_(recipe),
      folder_(prepared(folder, resume)),
      device_(device_named(recipe.training.device)),
      checkpoints_(folder_ / "checkpoints"),
      data_(open_training_data(recipe, folder_, fs::exists(folder_ / "recipe.toml"),
                               [this](const std::string& line) { tell(line); })),
      schedule_(resolved(recipe.schedule, recipe.training.max_updates)) {
  if (recipe.training.precision != Precision::Fp32 && device_.is_cpu()) {
    throw UserError("training.precision is half, which needs a CUDA device; on the CPU use fp32");
  }
  set_threads(static_cast<int>(recipe.training.threads));
  recipe_.model.vocab = data_.tokenizer->size();
  recipe_.model.source_vocab = data_.source_tokenizer ? data_.source_tokenizer->size() : 0;
  if (data_.source_tokenizer && recipe_.model.embedding.tie == Tying::All)
    recipe_.model.embedding.tie = Tying::Decoder;
  recipe_.model.validate();
  build_model();
  batches_ = std::make_unique<BatchStream>(data_.train, recipe_);
  const std::vector<int64_t> steps = checkpoints_.steps();
  if (!steps.empty()) restore(steps.back());
  write_text(folder_ / "recipe.toml", recipe_.to_toml());
  metrics_ = std::make_unique<report::MetricsLog>(folder_ / "metrics.jsonl", state_.updates);
  events_ = std::make_unique<report::EventWriter>(folder_ / "events");
  tell_opening();
}

Trainer::~Trainer() = default;

void Trainer::tell(const std::string& line) {
  opening_.push_back(line);
  if (isatty(STDERR_FILENO) != 0) tell_opening();
}

void Trainer::tell_opening() {
  for (const std::string& line : opening_) fmt::print(stderr, "{}\n", line);
  opening_.clear();
}

void Trainer::build_model() {
  model_ = make_task_model(recipe_.model);
  const auto seed = static_cast<uint64_t>(recipe_.training.seed);
  auto generator = at::detail::createCPUGenerator(Random::of(seed, kWeights).next());
  model_->initialise(generator);
  model_->module().to(device_);
  state_.random = Random::of(seed, kDropout);
  optimizer_ = std::make_unique<Optimizer>(trained_parameters(model_->module()), recipe_.optimizer);
  if (recipe_.training.ema_decay > 0.0) {
    for (const auto& [name, tensor] : nn::named_tensors(model_->module()))
      ema_.emplace(name, tensor.detach().clone());
  }
  description_ = {.config = recipe_.model,
                  .task = task_name(recipe_.task.kind),
                  .tokenizer = data_.tokenizer->serialized(),
                  .source_tokenizer = data_.source_tokenizer ? data_.source_tokenizer->serialized() : "",
                  .generation = recipe_.generation};
}

void Trainer::restore(int64_t step) {
  const fs::path checkpoint = checkpoints_.path(step);
  const SafetensorsFile weights = SafetensorsFile::open(checkpoint / "model.safetensors");
  ModelDescription stored = read_description(weights);
  verify_checksum(weights);
  const auto shape = [](ModelConfig config) { return options_to_json(collect_options(config, "model")); };
  const nlohmann::json theirs = shape(stored.config).flatten();
  const nlohmann::json ours = shape(recipe_.model).flatten();
  for (const auto& [key, value] : ours.items()) {
    if (theirs.at(key) == value) continue;
    std::string name = key.substr(1);
    std::ranges::replace(name, '/', '.');
    throw UserError(
        "{} is a checkpoint of another model: its {} is {}, this recipe's is {}; resume with the recipe it "
        "was "
        "made with, or choose another folder with --out",
        checkpoint.string(), name, theirs.at(key).dump(), value.dump());
  }
  const SafetensorsFile optimizer = SafetensorsFile::open(checkpoint / "optimizer.safetensors");
  optimizer_->load(nn::read_tensors(optimizer, "optimizer."));
  if (ema_.empty()) {
    nn::load_tensors(model_->module(), weights);
  } else {
    nn::load_tensors(model_->module(), optimizer, "raw.");
    for (auto& [name, tensor] : ema_) tensor.copy_(nn::to_tensor(weights.tensor(name)));
  }
  const nlohmann::json json = read_json(checkpoint / "trainer.json");
  if (json.value("corpus", "") != data_.train.key()) {
    throw UserError(
        "the training data of {} have changed since {}; put them back, or start anew in another folder with "
        "--out",
        folder_.string(), checkpoint.string());
  }
  state_ = TrainerState::from_json(json, (checkpoint / "trainer.json").string());
  batches_->seek(state_.position);
  last_saved_step_ = last_validated_step_ = step;
  last_saved_ = state_.seconds;
  tell(fmt::format("resuming from {}", checkpoint.string()));
}

double Trainer::seconds_now() const {
  return state_.seconds + steady_seconds() - started_;
}

TrainingResult Trainer::run() {
  started_ = steady_seconds();
  progress_ = std::make_unique<report::Progress>("training", recipe_.training.max_updates, state_.updates,
                                                 recipe_.training.log_every);
  train();
  progress_->finish();
  if (interruption_.requested()) {
    TrainingResult stopped;
    stopped.updates = state_.updates;
    stopped.seconds = state_.seconds;
    return stopped;
  }
  return finish();
}

bool Trainer::limit_reached() const {
  const TrainingOptions& limits = recipe_.training;
  return state_.updates >= limits.max_updates ||
         (limits.max_epochs > 0 && batches_->position().epoch >= limits.max_epochs) ||
         (limits.max_minutes > 0.0 && seconds_now() >= 60.0 * limits.max_minutes) ||
         (recipe_.validation.patience > 0 && state_.worse_validations >= recipe_.validation.patience);
}

void Trainer::train() {
  const TrainingOptions& options = recipe_.training;
  while (!limit_reached() && !interruption_.requested()) {
    const Update done = update();
    check(done);
    average_weights();
    if (state_.updates % options.log_every == 0) log(done);
    if (state_.updates % recipe_.validation.every == 0) validate();
    const bool by_time =
        options.checkpoint_minutes > 0.0 && seconds_now() - last_saved_ >= 60.0 * options.checkpoint_minutes;
    if (state_.updates % options.checkpoint_every == 0 || by_time) save();
  }
  if (!interruption_.requested()) validate();
  save();
}

Trainer::Update Trainer::update() {
  const TrainingOptions& options = recipe_.training;
  Update done;
  optimizer_->zero_gradients();
  const nn::Pass pass{.training = true, .random = &state_.random};
  const double loss_scale = options.precision == Precision::Fp16 ? state_.loss_scale : 1.0;
  // An update ends with its epoch, so that every epoch sees each example once.
  do {
    const TokenBatch batch = on_device(batches_->next(), device_);
    Loss loss;
    {
      const Autocast autocast(options.precision);
      loss = model_->loss(batch, options.label_smoothing, pass);
    }
    done.tokens += batch.target_tokens;
    done.loss += loss.value.item<double>();
    done.nll += loss.nll.item<double>();
    if (!std::isfinite(done.loss)) return done;
    (loss_scale == 1.0 ? loss.value : loss.value * loss_scale).backward();
  } while (done.tokens < options.update_tokens && !batches_->at_epoch_start());
  const double scale = 1.0 / (static_cast<double>(done.tokens) * loss_scale);
  done.gradient_norm = optimizer_->gradient_norm(scale);
  done.learning_rate = learning_rate(schedule_, recipe_.optimizer, state_.updates);
  if (options.precision == Precision::Fp16 && !std::isfinite(done.gradient_norm)) {
    // Too large a scale: this update is left out, as every mixed-precision trainer does.
    state_.loss_scale = std::max(1.0, state_.loss_scale / 2.0);
    state_.good_updates = 0;
    done.gradient_norm = 0.0;
  } else if (std::isfinite(done.gradient_norm)) {
    optimizer_->step(done.learning_rate, scale, done.gradient_norm);
    if (++state_.good_updates % 2000 == 0 && options.precision == Precision::Fp16) state_.loss_scale *= 2.0;
  }
  ++state_.updates;
  state_.tokens += done.tokens;
  state_.position = batches_->position();
  state_.log_loss += done.loss;
  state_.log_nll += done.nll;
  state_.log_tokens += done.tokens;
  return done;
}

void Trainer::check(const Update& update) {
  // Far worse than guessing every token with the same probability.
  const double guessing = std::log(static_cast<double>(recipe_.model.vocab));
  const double a_token = update.nll / static_cast<double>(update.tokens);
  const bool exploded = state_.updates > 100 && a_token > 4.0 * guessing;
  if (std::isfinite(update.loss) && std::isfinite(update.gradient_norm) && !exploded) return;
  progress_->finish();
  const std::string what = !std::isfinite(update.loss) ? fmt::format("the loss became {}", update.loss)
                           : exploded ? fmt::format("the loss rose to {:.1f} a token", a_token)
                                      : fmt::format("the gradient's norm became {}", update.gradient_norm);
  throw UserError(
      "{} in update {}, {}; {}; try a lower optimizer.lr, a longer schedule.warmup or optimizer.clip_norm=1",
      what, std::isfinite(update.loss) ? state_.updates : state_.updates + 1, batches_->describe_last(),
      last_checkpoint());
}

std::string Trainer::last_checkpoint() const {
  const std::vector<int64_t> steps = checkpoints_.steps();
  return steps.empty()
             ? "no checkpoint was written yet"
             : fmt::format("the last good checkpoint is {}", checkpoints_.path(steps.back()).string());
}

void Trainer::average_weights() {
  if (ema_.empty()) return;
  const torch::NoGradGuard no_grad;
  const double decay = recipe_.training.ema_decay;
  for (const auto& [name, tensor] : nn::named_tensors(model_->module())) {
    Tensor& mean = ema_.at(name);
    if (mean.is_floating_point()) {
      mean.lerp_(tensor, 1.0 - decay);
    } else {
      mean.copy_(tensor);
    }
  }
}

void Trainer::log(const Update& update) {
  const auto tokens = static_cast<double>(state_.log_tokens);
  const double now = seconds_now();
  const double rate = tokens / std::max(1e-9, now - state_.log_seconds);
  const double loss = state_.log_loss / tokens;
  const double nll = state_.log_nll / tokens;
  const report::Scalars scalars = {{"loss", loss},
                                   {"nll", nll},
                                   {"learning_rate", update.learning_rate},
                                   {"gradient_norm", update.gradient_norm},
                                   {"epoch", static_cast<double>(state_.position.epoch)},
                                   {"tokens", static_cast<double>(state_.tokens)},
                                   {"tokens_per_second", rate},
                                   {"seconds", now}};
  metrics_->write(state_.updates, "train", scalars);
  for (const auto& [name, value] : scalars)
    events_->scalar(fmt::format("train/{}", name), value, state_.updates);
  progress_->update(state_.updates,
                    fmt::format("epoch {}  loss {:.3f}  ppl {:.2f}  {:.0f} tokens/s  lr {:.2e}",
                                state_.position.epoch + 1, loss, std::exp(nll), rate, update.learning_rate));
  state_.log_loss = state_.log_nll = 0.0;
  state_.log_tokens = 0;
  state_.log_seconds = now;
}

void Trainer::validate() {
  if (!data_.valid || last_validated_step_ == state_.updates) return;
  last_validated_step_ = state_.updates;
  const Evaluation found = [&] {
    const WeightSwap swap(model_->module(), ema_);
    return evaluate(*model_, *data_.valid, data_, recipe_, recipe_.validation.max_sentences,
                    recipe_.validation.beam);
  }();
  report::Scalars scalars = {{"nll", found.nll}, {"perplexity", found.perplexity}};
  scalars.insert(scalars.end(), found.scores.begin(), found.scores.end());
  const double quality = found.quality(recipe_.validation.metric);
  const bool better = quality > state_.best_quality;
  if (better) {
    state_.best_quality = quality;
    state_.best_step = state_.updates;
    state_.worse_validations = 0;
  } else {
    ++state_.worse_validations;
  }
  metrics_->write(state_.updates, "valid", scalars);
  for (const auto& [name, value] : scalars)
    events_->scalar(fmt::format("valid/{}", name), value, state_.updates);
  progress_->note(fmt::format("update {}: validation loss {:.3f}  ppl {:.2f}{}{}", state_.updates, found.nll,
                              found.perplexity, shown(found.scores), better ? "  (best)" : ""));
  for (const report::SampleOutput& sample : samples_of(found, *data_.valid, recipe_.validation.samples)) {
    progress_->note(fmt::format("  source     {}\n  reference  {}\n  output     {}", excerpt(sample.source),
                                excerpt(sample.reference), excerpt(sample.output)));
    events_->text("samples",
                  fmt::format("{}\n\n**{}**\n\n{}", sample.source, sample.reference, sample.output),
                  state_.updates);
  }
  events_->flush();
  // The best one must not be lost with the memory it lives in.
  if (better) save();
}

void Trainer::save() {
  if (last_saved_step_ == state_.updates) return;
  const double now = steady_seconds();
  state_.seconds += now - started_;
  started_ = now;
  checkpoints_.save(state_.updates, [&](const fs::path& folder) {
    const std::map<std::string, Tensor> weights = nn::named_tensors(model_->module());
    std::map<std::string, Tensor> kept;
    for (const auto& [name, tensor] : optimizer_->state()) kept.emplace("optimizer." + name, tensor);
    if (!ema_.empty()) {
      for (const auto& [name, tensor] : weights) kept.emplace("raw." + name, tensor);
    }
    nn::save_tensors(ema_.empty() ? weights : ema_, folder / "model.safetensors",
                     model_metadata(description_), tokenizer_tensors(description_));
    nn::save_tensors(kept, folder / "optimizer.safetensors", {});
    nlohmann::json json = state_.to_json();
    json["corpus"] = data_.train.key();
    json["threads"] = at::get_num_threads();
    write_text(folder / "trainer.json", json.dump(2));
  });
  last_saved_step_ = state_.updates;
  last_saved_ = state_.seconds;
  checkpoints_.prune(recipe_.training.keep_last, state_.best_step);
}

TrainingResult Trainer::finish() {
  const fs::path out = folder_ / "model.safetensors";
  const std::vector<int64_t> steps = checkpoints_.steps();
  std::vector<fs::path> chosen;
  if (recipe_.training.average_last > 0) {
    const auto count = std::min<size_t>(steps.size(), static_cast<size_t>(recipe_.training.average_last));
    for (size_t i = steps.size() - count; i < steps.size(); ++i)
      chosen.push_back(checkpoints_.path(steps[i]) / "model.safetensors");
  } else {
    const int64_t step = state_.best_step >= 0 ? state_.best_step : steps.back();
    chosen.push_back(checkpoints_.path(step) / "model.safetensors");
  }
  average_models(chosen, out);
  nn::load_tensors(model_->module(), SafetensorsFile::open(out));
  ema_.clear();

  TrainingResult result;
  result.finished = true;
  result.model = out;
  result.updates = state_.updates;
  result.seconds = state_.seconds;
  const auto measure = [&](const std::optional<EvaluationSet>& set, bool keep_outputs) {
    report::Scalars scalars;
    if (!set) return scalars;
    const Evaluation found = evaluate(*model_, *set, data_, recipe_, 0, recipe_.generation.beam);
    scalars = {{"nll", found.nll}, {"perplexity", found.perplexity}};
    scalars.insert(scalars.end(), found.scores.begin(), found.scores.end());
    result.samples = samples_of(found, *set, 20);
    if (keep_outputs && !found.outputs.empty())
      write_text(folder_ / "test.output.txt", fmt::format("{}\n", fmt::join(found.outputs, "\n")));
    return scalars;
  };
  result.valid = measure(data_.valid, false);
  result.test = measure(data_.test, true);
  write_results(folder_, result, recipe_, count_parameters(tensor_list(recipe_.model)), state_);
  return result;
}

}  // namespace memsizer::train
