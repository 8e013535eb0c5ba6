#include "train/learner.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "model/config_difference.h"
#include "model/model_checksum.h"

namespace memsizer::train {
namespace {

using at::Tensor;

// Streams of random numbers of one run, apart from each other.
enum RandomStream : uint64_t { kWeights = 1, kDropout = 2 };

// Good updates after which the scale of the loss is doubled.
constexpr int64_t kScaleGrowth = 2000;

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

}  // namespace

bool Update::has_finite_loss() const {
  return std::isfinite(loss);
}

Learner::Learner(const Recipe& recipe, ModelDescription description, at::Device device, Group& group)
    : options_(recipe.training), description_(std::move(description)), device_(device), group_(group) {
  model_ = make_task_model(description_.config);
  const auto seed = static_cast<uint64_t>(options_.seed);
  auto generator = at::detail::createCPUGenerator(Random::of(seed, kWeights).next());
  model_->initialise(generator);
  model_->module().to(device_);
  std::vector<Tensor> weights;
  for (const auto& [name, tensor] : nn::named_tensors(model_->module())) weights.push_back(tensor.detach());
  group_.broadcast(weights);
  state_.random = Random::of(seed, kDropout);
  NamedParameters trained = trained_parameters(model_->module());
  for (const auto& [name, parameter] : trained) parameters_.push_back(parameter);
  optimizer_ = std::make_unique<Optimizer>(std::move(trained), recipe.optimizer);
  restart_average();
}

void Learner::restart_average() {
  average_.clear();
  if (options_.ema_decay <= 0.0) return;
  for (const auto& [name, tensor] : nn::named_tensors(model_->module()))
    average_.emplace(name, tensor.detach().clone());
}

nn::TakenTensors Learner::start_from(const SafetensorsFile& weights) {
  nn::TakenTensors taken = nn::take_tensors(model_->module(), weights);
  restart_average();
  return taken;
}

Update Learner::update(std::span<const TokenBatch> batches, double learning_rate) {
  optimizer_->zero_gradients();
  Update done = accumulate(batches);
  std::array<double, 3> losses = {done.loss, done.nll, done.teacher};
  group_.all_reduce_sum(losses);
  done.loss = losses[0];
  done.nll = losses[1];
  done.teacher = losses[2];
  group_.all_reduce_sum({&done.tokens, 1});
  done.learning_rate = learning_rate;
  // A loss that is no number on one process is none in the sum, so all of them return here.
  if (!done.has_finite_loss()) return done;
  group_.sum_gradients(parameters_);
  step(done);
  average_weights();
  return done;
}

Update Learner::accumulate(std::span<const TokenBatch> batches) {
  Update done;
  // One process draws from the run's stream itself. Of several, each draws from a branch of its own for this
  // update, and the run's stream takes one step on all of them: a checkpoint does not depend on their number.
  Random branch = Random::of(state_.random.state, static_cast<uint64_t>(group_.rank()));
  const bool alone = group_.size() == 1;
  if (!alone) state_.random.next();
  const nn::Pass pass{.training = true, .random = alone ? &state_.random : &branch};
  for (size_t i = 0; i < batches.size(); ++i) {
    const TokenBatch batch = on_device(batches[i], device_);
    const Loss loss = loss_of(batch, pass);
    if (done.has_finite_loss()) {
      done.tokens += batch.target_tokens;
      done.loss += (loss.teacher.defined() ? loss.smoothed : loss.value).item<double>();
      if (loss.teacher.defined()) done.teacher += loss.teacher.item<double>();
      done.nll += loss.nll.item<double>();
      done.last_batch = i;
    }
    // Backward even if the loss is no number: the group may count on every process's gradients.
    if (i + 1 == batches.size()) group_.expect_gradients(parameters_);
    (loss_scale() == 1.0 ? loss.value : loss.value * loss_scale()).backward();
  }
  return done;
}

Loss Learner::loss_of(const TokenBatch& batch, const nn::Pass& pass) {
  const Autocast autocast(options_.precision);
  if (!teacher_ || options_.teacher_weight == 0.0)
    return model_->loss(batch, options_.label_smoothing, nullptr, pass);
  const Lesson lesson = lesson_of(batch);
  return model_->loss(batch, options_.label_smoothing, &lesson, pass);
}

Lesson Learner::lesson_of(const TokenBatch& batch) {
  const torch::NoGradGuard no_grad;
  return {.features = teacher_->features(batch, nn::Pass{}).flatten(0, 1),
          .weight = teacher_->output_weight(),
          .share = options_.teacher_weight,
          .temperature = options_.teacher_temperature};
}

void Learner::step(Update& done) {
  const bool scaled = options_.precision == Precision::Fp16;
  const double scale = 1.0 / (static_cast<double>(done.tokens) * loss_scale());
  done.gradient_norm = optimizer_->gradient_norm(scale);
  if (scaled && !std::isfinite(done.gradient_norm)) {
    // Too large a scale: this update is left out, as every mixed-precision trainer does.
    state_.loss_scale = std::max(1.0, state_.loss_scale / 2.0);
    state_.good_updates = 0;
    done.gradient_norm = 0.0;
  } else if (std::isfinite(done.gradient_norm)) {
    optimizer_->step(done.learning_rate, scale, done.gradient_norm);
    if (++state_.good_updates % kScaleGrowth == 0 && scaled) state_.loss_scale *= 2.0;
  }
}

double Learner::loss_scale() const {
  return options_.precision == Precision::Fp16 ? state_.loss_scale : 1.0;
}

void Learner::average_weights() {
  if (average_.empty()) return;
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : nn::named_tensors(model_->module())) {
    Tensor& mean = average_.at(name);
    if (mean.is_floating_point()) {
      mean.lerp_(tensor, 1.0 - options_.ema_decay);
    } else {
      mean.copy_(tensor);
    }
  }
}

WeightSwap Learner::with_averaged_weights() {
  return WeightSwap(model_->module(), average_);
}

void Learner::save(const CheckpointFiles& files) const {
  const std::map<std::string, Tensor> weights = nn::named_tensors(model_->module());
  std::map<std::string, Tensor> kept;
  for (const auto& [name, tensor] : optimizer_->state()) kept.emplace("optimizer." + name, tensor);
  if (!average_.empty()) {
    for (const auto& [name, tensor] : weights) kept.emplace("raw." + name, tensor);
  }
  nn::save_tensors(average_.empty() ? weights : average_, files.model(), model_metadata(description_),
                   tokenizer_tensors(description_));
  nn::save_tensors(kept, files.optimizer(), {});
}

void Learner::load(const CheckpointFiles& files) {
  const SafetensorsFile weights = SafetensorsFile::open(files.model());
  const ModelDescription stored = read_description(weights);
  verify_checksum(weights);
  require_same_model(stored.config, files.folder);
  const SafetensorsFile optimizer = SafetensorsFile::open(files.optimizer());
  optimizer_->load(nn::read_tensors(optimizer, "optimizer."));
  if (average_.empty()) {
    nn::load_tensors(model_->module(), weights);
  } else {
    nn::load_tensors(model_->module(), optimizer, "raw.");
    for (auto& [name, tensor] : average_) tensor.copy_(nn::to_tensor(weights.tensor(name)));
  }
}

void Learner::require_same_model(const ModelConfig& stored, const std::filesystem::path& checkpoint) const {
  const auto found = first_difference(stored, description_.config);
  if (!found) return;
  throw UserError(
      "{} is a checkpoint of another model: its {} is {}, this recipe's is {}; resume with the recipe it "
      "was made with, or choose another folder with --out",
      checkpoint.string(), found->option, found->theirs, found->ours);
}

void Learner::load_model(const std::filesystem::path& path) {
  nn::load_tensors(model_->module(), SafetensorsFile::open(path));
  average_.clear();
}

}  // namespace memsizer::train
