#include "train/task_model.h"

#include <stdexcept>

#include "nn/encoder_decoder.h"
#include "nn/language_model.h"
#include "train/linear_cross_entropy.h"

namespace memsizer::train {
namespace {

using at::Tensor;

class TorchStepModel : public decode::StepModel {
 public:
  TorchStepModel(const nn::EncoderDecoder& model, const Tensor& source)
      : model_(model), device_(source.device()) {
    const torch::NoGradGuard no_grad;
    state_ = model_->start(source);
  }

  int64_t vocab() const override { return model_->config().vocab; }

  void reorder(std::span<const int64_t> parents) override {
    const torch::NoGradGuard no_grad;
    state_.reorder(at::tensor(c10::ArrayRef<int64_t>(parents.data(), parents.size()), at::kLong).to(device_));
  }

  std::span<float> advance(std::span<const int32_t> tokens) override {
    const torch::NoGradGuard no_grad;
    const Tensor column =
        at::tensor(c10::ArrayRef<int32_t>(tokens.data(), tokens.size()), at::kInt).to(at::kLong).unsqueeze(1);
    logits_ = model_->advance(column.to(device_), state_).squeeze(1).to(at::kCPU, at::kFloat).contiguous();
    return {logits_.data_ptr<float>(), static_cast<size_t>(logits_.numel())};
  }

 private:
  nn::EncoderDecoder model_;
  at::Device device_;
  nn::DecoderState state_;
  Tensor logits_;
};

class PairModel : public TaskModel {
 public:
  explicit PairModel(const ModelConfig& config) : model_(config) {}

  torch::nn::Module& module() override { return *model_; }
  const ModelConfig& config() const override { return model_->config(); }
  void initialise(at::Generator& generator) override { model_->initialise(generator); }

  Loss loss(const TokenBatch& batch, double label_smoothing, const Lesson* lesson,
            const nn::Pass& pass) override {
    return linear_cross_entropy(features(batch, pass).flatten(0, 1), model_->output_weight(),
                                batch.targets.flatten(), label_smoothing, lesson);
  }

  Tensor features(const TokenBatch& batch, const nn::Pass& pass) override {
    return model_->features(batch.source, batch.input, pass);
  }
  Tensor output_weight() const override { return model_->output_weight(); }

  std::unique_ptr<decode::StepModel> start(const Tensor& source) override {
    return std::make_unique<TorchStepModel>(model_, source);
  }

 private:
  nn::EncoderDecoder model_;
};

class StreamModel : public TaskModel {
 public:
  explicit StreamModel(const ModelConfig& config) : model_(config) {}

  torch::nn::Module& module() override { return *model_; }
  const ModelConfig& config() const override { return model_->config(); }
  void initialise(at::Generator& generator) override { model_->initialise(generator); }

  Loss loss(const TokenBatch& batch, double label_smoothing, const Lesson* lesson,
            const nn::Pass& pass) override {
    const Tensor rows = features(batch, pass).flatten(0, 1);
    const Tensor targets = batch.targets.flatten();
    const nn::AdaptiveSoftmax& adaptive = model_->adaptive_softmax();
    if (!adaptive)
      return linear_cross_entropy(rows, model_->output_weight(), targets, label_smoothing, lesson);
    if (lesson) throw std::logic_error("adaptive softmax learns from no teacher");
    // The reference's training loss leaves a term out; scores are made of true probabilities.
    const bool exact = pass.training || !config().adaptive.reference_loss;
    const Tensor loss = exact
                            ? adaptive->loss(rows, targets, pass)
                            : at::nll_loss(adaptive->log_probs(rows), targets, {}, at::Reduction::Sum, kPad);
    return {loss, loss.detach(), {}, {}};
  }

  Tensor features(const TokenBatch& batch, const nn::Pass& pass) override {
    return model_->forward(batch.input, pass);
  }
  Tensor output_weight() const override { return model_->output_weight(); }

  std::unique_ptr<decode::StepModel> start(const Tensor& /*source*/) override {
    throw std::logic_error("a language model has no source to start from");
  }

 private:
  nn::LanguageModel model_;
};

}  // namespace

std::unique_ptr<TaskModel> make_task_model(const ModelConfig& config) {
  if (config.has_encoder()) return std::make_unique<PairModel>(config);
  return std::make_unique<StreamModel>(config);
}

}  // namespace memsizer::train
