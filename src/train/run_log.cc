#include "train/run_log.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/standard_error.h"
#include "core/utf8.h"
#include "train/trained_model.h"

namespace memsizer::train {
namespace {

// One line's worth of a text, for a terminal.
std::string excerpt(const std::string& text) {
  constexpr size_t kMost = 160;
  if (text.size() <= kMost) return text;
  return std::string(whole_characters(text, kMost)) + " ...";
}

std::string shown(const report::Scalars& scores) {
  std::string text;
  for (const auto& [name, value] : scores) text += fmt::format("  {} {:.2f}", name, value);
  return text;
}

// Of one mixer, over some updates of the fit.
double mean_error(std::span<const std::vector<MixerError>> updates, size_t mixer) {
  double sum = 0.0;
  for (const std::vector<MixerError>& errors : updates) sum += errors[mixer].squared;
  return sum / static_cast<double>(updates.size());
}

}  // namespace

RunLog::RunLog(const RunFolder& folder, const TrainingOptions& options, int64_t updates)
    : options_(options), metrics_(folder.metrics(), updates), events_(folder.events()) {}

void RunLog::took(const std::string& model, const nn::TakenTensors& tensors) {
  record(0, "init",
         {{"taken", static_cast<double>(tensors.taken.size())},
          {"tensors", static_cast<double>(tensors.total())}});
  events_.text("init", fmt::format("{}", fmt::join(described(tensors, model), "\n\n")), 0);
}

void RunLog::fitted(int64_t updates, const std::vector<MixerError>& errors) {
  if (errors.empty()) {
    tell(fmt::format("nothing to fit: every mixer is as in {}", options_.init_from));
    return;
  }
  if (!progress_) {
    progress_ =
        std::make_unique<report::Progress>("fitting", options_.init_fit_updates, 0, options_.log_every);
  }
  fit_.push_back(errors);
  double share = 0.0;
  for (const MixerError& error : errors) {
    events_.scalar(fmt::format("fit/{}", error.name), error.squared, updates);
    share += error.squared / error.scale / static_cast<double>(errors.size());
  }
  progress_->update(updates, fmt::format("squared error {:.3f} of the outputs' square", share));
  if (updates == options_.init_fit_updates) tell_fit();
}

// The first and the last tenth of the fit, since single batches differ.
void RunLog::tell_fit() {
  const size_t some = std::max<size_t>(1, fit_.size() / 10);
  report::Scalars scalars;
  for (size_t i = 0; i < fit_.front().size(); ++i) {
    const MixerError& last = fit_.back()[i];
    const double start = mean_error(std::span(fit_).first(some), i);
    const double end = mean_error(std::span(fit_).last(some), i);
    scalars.emplace_back(fmt::format("{}.start", last.name), start);
    scalars.emplace_back(fmt::format("{}.end", last.name), end);
    progress_->note(
        fmt::format("fitted {}: squared error {:.3g} -> {:.3g} (mean square of the output {:.3g})", last.name,
                    start, end, last.scale));
  }
  record(0, "fit", scalars);
  fit_.clear();
  progress_->finish();
}

void RunLog::started(int64_t updates) {
  progress_ =
      std::make_unique<report::Progress>("training", options_.max_updates, updates, options_.log_every);
}

void RunLog::record(int64_t updates, const std::string& kind, const report::Scalars& scalars) {
  metrics_.write(updates, kind, scalars);
  for (const auto& [name, value] : scalars) events_.scalar(fmt::format("{}/{}", kind, name), value, updates);
}

void RunLog::trained(int64_t updates, const Stretch& stretch) {
  report::Scalars scalars = {{"loss", stretch.loss},
                             {"nll", stretch.nll},
                             {"learning_rate", stretch.learning_rate},
                             {"gradient_norm", stretch.gradient_norm},
                             {"epoch", static_cast<double>(stretch.epoch)},
                             {"tokens", static_cast<double>(stretch.tokens)},
                             {"tokens_per_second", stretch.tokens_per_second},
                             {"seconds", stretch.seconds}};
  const bool taught = !options_.teacher.empty();
  if (taught) scalars.emplace_back("teacher_loss", stretch.teacher);
  record(updates, "train", scalars);
  progress_->update(
      updates,
      fmt::format("epoch {}  loss {:.3f}{}  ppl {:.2f}  {:.0f} tokens/s  lr {:.2e}", stretch.epoch + 1,
                  stretch.loss, taught ? fmt::format("  teacher {:.3f}", stretch.teacher) : "",
                  std::exp(stretch.nll), stretch.tokens_per_second, stretch.learning_rate));
}

void RunLog::validated(int64_t updates, const Validation& validation, bool best) {
  const Evaluation& found = validation.evaluation;
  report::Scalars scalars = {{"nll", found.nll}, {"perplexity", found.perplexity}};
  scalars.insert(scalars.end(), found.scores.begin(), found.scores.end());
  record(updates, "valid", scalars);
  progress_->note(fmt::format("update {}: validation loss {:.3f}  ppl {:.2f}{}{}", updates, found.nll,
                              found.perplexity, shown(found.scores), best ? "  (best)" : ""));
  for (const report::SampleOutput& sample : validation.samples) {
    progress_->note(fmt::format("  source     {}\n  reference  {}\n  output     {}", excerpt(sample.source),
                                excerpt(sample.reference), excerpt(sample.output)));
    events_.text("samples", fmt::format("{}\n\n**{}**\n\n{}", sample.source, sample.reference, sample.output),
                 updates);
  }
  events_.flush();
}

void RunLog::ended() {
  progress_->finish();
}

}  // namespace memsizer::train
