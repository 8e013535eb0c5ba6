#include "metrics/metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/error.h"
#include "core/names.h"

namespace memsizer::metrics {
namespace {

constexpr std::array kTranslation = {Task::Translation};
constexpr std::array kSummarization = {Task::Summarization};
constexpr std::array kPairs = {Task::Translation, Task::Summarization};
constexpr std::array kEveryTask = {Task::Translation, Task::Summarization, Task::LanguageModel};
constexpr std::span<const Task> kNoTask;

constexpr auto kLoss = std::to_array<ScoreName>({{"nll", "loss", "loss"}});
constexpr auto kBleu = std::to_array<ScoreName>({{"bleu", "BLEU", "BLEU"}});
constexpr auto kMultiBleu = std::to_array<ScoreName>({{"multi-bleu", "multi-bleu", "multi-bleu"}});
constexpr auto kChrf = std::to_array<ScoreName>({{"chrf", "chrF", "chrF2"}});
constexpr auto kChrfPlusPlus = std::to_array<ScoreName>({{"chrf++", "chrF++", "chrF2++"}});
constexpr auto kRouge = std::to_array<ScoreName>(
    {{"rouge1", "ROUGE-1", "ROUGE-1"}, {"rouge2", "ROUGE-2", "ROUGE-2"}, {"rougeL", "ROUGE-L", "ROUGE-L"}});
constexpr auto kPerplexity = std::to_array<ScoreName>({{"perplexity", "perplexity", "perplexity"}});

constexpr auto kMetrics = std::to_array<MetricTraits>(
    {{Metric::Loss, "loss", kLoss, false, kNoTask, kEveryTask, false, nullptr},
     {Metric::Bleu, "bleu", kBleu, true, kTranslation, kPairs, true, score_bleu},
     {Metric::MultiBleu, "multi-bleu", kMultiBleu, true, kNoTask, kNoTask, false, score_multi_bleu},
     {Metric::Chrf, "chrf", kChrf, true, kTranslation, kPairs, true, score_chrf},
     {Metric::ChrfPlusPlus, "chrf++", kChrfPlusPlus, true, kNoTask, kNoTask, true, score_chrf_plus_plus},
     {Metric::Rouge, "rouge", kRouge, true, kSummarization, kSummarization, false, score_rouge},
     {Metric::Rouge155, "rouge-1.5.5", kRouge, true, kNoTask, kNoTask, false, score_rouge_155},
     {Metric::Perplexity, "perplexity", kPerplexity, false, kEveryTask, kEveryTask, false, nullptr}});

bool has(std::span<const Task> tasks, Task task) {
  return std::ranges::find(tasks, task) != tasks.end();
}

std::vector<std::string> names_of_text_metrics() {
  std::vector<std::string> names;
  for (const MetricTraits& traits : kMetrics) {
    if (traits.score) names.emplace_back(traits.name);
  }
  return names;
}

}  // namespace

std::span<const MetricTraits> all_metrics() {
  return kMetrics;
}

const MetricTraits& traits_of(Metric metric) {
  const auto* found = std::ranges::find(kMetrics, metric, &MetricTraits::metric);
  if (found == kMetrics.end()) throw std::logic_error("unknown metric");
  return *found;
}

std::vector<Metric> headline_metrics(Task task) {
  std::vector<Metric> metrics;
  for (const MetricTraits& traits : kMetrics) {
    if (has(traits.headline, task)) metrics.push_back(traits.metric);
  }
  return metrics;
}

std::vector<Metric> recorded_metrics(Task task) {
  std::vector<Metric> metrics = headline_metrics(task);
  for (const MetricTraits& traits : kMetrics) {
    if (has(traits.recorded, task) && !has(traits.headline, task)) metrics.push_back(traits.metric);
  }
  return metrics;
}

std::vector<Metric> text_metrics(std::span<const Metric> metrics) {
  std::vector<Metric> some;
  std::ranges::copy_if(metrics, std::back_inserter(some),
                       [](Metric metric) { return traits_of(metric).score != nullptr; });
  return some;
}

std::string text_metric_names() {
  return fmt::format("{}", fmt::join(names_of_text_metrics(), ", "));
}

Metric text_metric_named(std::string_view name) {
  for (const MetricTraits& traits : kMetrics) {
    if (traits.score && traits.name == name) return traits.metric;
  }
  throw UserError("metric '{}' is not known{}; known are {}", name,
                  did_you_mean(name, names_of_text_metrics()), text_metric_names());
}

TextScore score_text(Metric metric, const ScoredTexts& texts, const ScoreOptions& options) {
  const MetricTraits& traits = traits_of(metric);
  if (!traits.score) throw std::logic_error(fmt::format("{} scores no texts", traits.name));
  return traits.score(texts, options);
}

NamedScores named_scores(Metric metric, const TextScore& score) {
  NamedScores scores;
  for (size_t i = 0; i < score.values.size(); ++i)
    scores.emplace_back(traits_of(metric).scores[i].name, score.values[i]);
  return scores;
}

double quality_of(Metric metric, const NamedScores& scores) {
  const MetricTraits& traits = traits_of(metric);
  double sum = 0.0;
  for (const ScoreName& score : traits.scores) {
    const auto found = std::ranges::find(scores, score.name, &std::pair<std::string, double>::first);
    if (found == scores.end()) throw std::logic_error(fmt::format("{} was not measured", score.name));
    sum += found->second;
  }
  const double mean = sum / static_cast<double>(traits.scores.size());
  return traits.higher_is_better ? mean : -mean;
}

}  // namespace memsizer::metrics

namespace memsizer {

template <>
std::span<const std::pair<metrics::Metric, std::string_view>> enum_names<metrics::Metric>() {
  static const std::vector<std::pair<metrics::Metric, std::string_view>> names = [] {
    std::vector<std::pair<metrics::Metric, std::string_view>> all;
    for (const metrics::MetricTraits& traits : metrics::all_metrics())
      all.emplace_back(traits.metric, traits.name);
    return all;
  }();
  return names;
}

}  // namespace memsizer
