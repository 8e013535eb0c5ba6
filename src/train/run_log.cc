#include "train/run_log.h"

#include <fmt/format.h>

#include <cmath>

#include "core/utf8.h"

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

}  // namespace

RunLog::RunLog(const RunFolder& folder, const TrainingOptions& options, int64_t updates)
    : options_(options), metrics_(folder.metrics(), updates), events_(folder.events()) {}

void RunLog::started(int64_t updates) {
  progress_ =
      std::make_unique<report::Progress>("training", options_.max_updates, updates, options_.log_every);
}

void RunLog::record(int64_t updates, const std::string& kind, const report::Scalars& scalars) {
  metrics_.write(updates, kind, scalars);
  for (const auto& [name, value] : scalars) events_.scalar(fmt::format("{}/{}", kind, name), value, updates);
}

void RunLog::trained(int64_t updates, const Stretch& stretch) {
  record(updates, "train",
         {{"loss", stretch.loss},
          {"nll", stretch.nll},
          {"learning_rate", stretch.learning_rate},
          {"gradient_norm", stretch.gradient_norm},
          {"epoch", static_cast<double>(stretch.epoch)},
          {"tokens", static_cast<double>(stretch.tokens)},
          {"tokens_per_second", stretch.tokens_per_second},
          {"seconds", stretch.seconds}});
  progress_->update(updates, fmt::format("epoch {}  loss {:.3f}  ppl {:.2f}  {:.0f} tokens/s  lr {:.2e}",
                                         stretch.epoch + 1, stretch.loss, std::exp(stretch.nll),
                                         stretch.tokens_per_second, stretch.learning_rate));
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
