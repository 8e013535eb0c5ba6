#include "train/mixer_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memsizer::train {
namespace {

using at::Tensor;

// The rate of the first update, for Adam; from there it falls in a straight line.
constexpr double kRate = 2e-3;

std::map<std::string, std::shared_ptr<nn::Mixer>> mixers_of(torch::nn::Module& module) {
  std::map<std::string, std::shared_ptr<nn::Mixer>> mixers;
  for (const auto& item : module.named_modules("", /*include_self=*/false)) {
    if (auto mixer = std::dynamic_pointer_cast<nn::Mixer>(item.value())) mixers.emplace(item.key(), mixer);
  }
  return mixers;
}

// The options of a mixer's mechanism as far as they concern its position.
nlohmann::json own_options(MixerConfig config) {
  nlohmann::json own;
  const auto section = config.mechanism->options();
  if (!section) return own;
  std::vector<OptionRef> options;
  config.mechanism_options.collect("", options);
  const std::string prefix = fmt::format("{}.", section->name());
  for (const OptionRef& option : options) {
    if (!option.path.starts_with(prefix)) continue;
    const std::string name = option.path.substr(prefix.size());
    if (!is_of_another_position(name, config.position)) own[name] = option.get();
  }
  return own;
}

// Whether two mixers make the same of the same weights.
bool same_form(const MixerConfig& a, const MixerConfig& b) {
  return a.mechanism == b.mechanism && a.heads == b.heads && own_options(a) == own_options(b);
}

// The mean over real tokens and channels. x [time, batch, dim], padding [batch, time] or undefined.
Tensor mean_square(const Tensor& x, const Tensor& padding) {
  if (!padding.defined()) return x.square().mean();
  const Tensor real = nn::time_major_mask(padding.to(at::kBool)).logical_not().to(x.scalar_type());
  return (x.square() * real).sum() / (real.sum() * x.size(2));
}

}  // namespace

MixerFit::MixerFit(std::unique_ptr<TaskModel> old, TaskModel& model, Group& group)
    : old_(std::move(old)), group_(group), device_(model.module().parameters().front().device()) {
  const auto before = mixers_of(old_->module());
  NamedParameters trained;
  for (const auto& [name, mixer] : mixers_of(model.module())) {
    const nn::Mixer& replaced = *before.at(name);
    if (same_form(replaced.config(), mixer->config())) continue;
    pairs_.push_back({name, &replaced, mixer, {}});
    for (const auto& [parameter_name, parameter] : trained_parameters(*mixer)) {
      trained.emplace_back(fmt::format("{}.{}", name, parameter_name), parameter);
      parameters_.push_back(parameter);
    }
  }
  optimizer_ = std::make_unique<Optimizer>(std::move(trained), OptimizerOptions{});
  watch_layers();
}

void MixerFit::watch_layers() {
  for (const auto& module : old_->module().modules(/*include_self=*/false)) {
    if (auto layer = std::dynamic_pointer_cast<nn::LayerImpl>(module))
      layer->set_on_mixed([this](const nn::Mixed& mixed) { learn(mixed); });
  }
}

std::vector<std::string> MixerFit::names() const {
  std::vector<std::string> names;
  for (const Pair& pair : pairs_) names.push_back(pair.name);
  return names;
}

void MixerFit::learn(const nn::Mixed& mixed) {
  const auto pair = std::ranges::find(pairs_, &mixed.mixer, &Pair::old);
  if (pair == pairs_.end()) return;
  const at::AutoGradMode with_gradients(true);
  const nn::Pass pass;  // without dropout, as the old model
  const Tensor out = mixed.source.defined()
                         ? pair->fitted->forward(mixed.x, mixed.source, mixed.source_padding, pass)
                         : pair->fitted->forward(mixed.x, mixed.padding, pass);
  const Tensor error = mean_square(out - mixed.out, mixed.padding);
  error.backward();
  pair->error.squared += error.item<double>();
  pair->error.scale += mean_square(mixed.out, mixed.padding).item<double>();
}

std::vector<MixerError> MixerFit::update(std::span<const TokenBatch> batches, double learning_rate) {
  const torch::NoGradGuard no_grad;
  optimizer_->zero_gradients();
  for (Pair& pair : pairs_) pair.error = {pair.name, 0.0, 0.0};
  for (const TokenBatch& batch : batches) old_->features(on_device(batch, device_), nn::Pass{});
  std::vector<double> sums = {static_cast<double>(batches.size())};
  for (const Pair& pair : pairs_) sums.insert(sums.end(), {pair.error.squared, pair.error.scale});
  group_.all_reduce_sum(sums);
  group_.sum_gradients(parameters_);
  optimizer_->step(learning_rate, 1.0 / sums[0], /*norm=*/0.0);
  std::vector<MixerError> errors;
  for (size_t i = 0; i < pairs_.size(); ++i)
    errors.push_back({pairs_[i].name, sums[1 + 2 * i] / sums[0], sums[2 + 2 * i] / sums[0]});
  return errors;
}

bool MixerFit::run(int64_t updates, BatchStream& batches, const Interruption& interruption,
                   TrainingObserver& observer) {
  // Everything was taken as it is.
  if (pairs_.empty()) {
    observer.fitted(updates, {});
    return true;
  }
  for (int64_t done = 0; done < updates; ++done) {
    if (group_.any(interruption.requested())) return false;
    const double left = 1.0 - static_cast<double>(done) / static_cast<double>(updates);
    observer.fitted(done + 1, update(batches.next_update(), kRate * left));
  }
  return true;
}

}  // namespace memsizer::train
