#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/options.h"
#include "core/task.h"
#include "metrics/text_scores.h"

// The one table of metrics: recipes, commands, results and tables take their names from it.
namespace memsizer::metrics {

enum class Metric { Loss, Bleu, MultiBleu, Chrf, ChrfPlusPlus, Rouge, Rouge155, Perplexity };

// One number of a metric.
struct ScoreName {
  std::string_view name;     // in results.json and logs: "chrf"
  std::string_view heading;  // in tables: "chrF"
  std::string_view printed;  // by memsizer score and evaluate, parameters included: "chrF2"
};

struct MetricTraits {
  Metric metric;
  std::string_view name;              // in recipes and on the command line
  std::span<const ScoreName> scores;  // ROUGE has several
  bool higher_is_better;
  std::span<const Task> headline;  // the tasks it is the measure of
  std::span<const Task> recorded;  // the tasks of which training writes it down
  bool takes_baseline;             // two systems can be compared by it
  TextScore (*score)(const ScoredTexts& texts, const ScoreOptions& options);  // null: needs no texts
};

// All of them, in the order of listings.
std::span<const MetricTraits> all_metrics();

const MetricTraits& traits_of(Metric metric);

// The measures of a task, in the order of the table.
std::vector<Metric> headline_metrics(Task task);

// What training writes down for a task: its measures first, then the others.
std::vector<Metric> recorded_metrics(Task task);

// The metrics that score texts, of those given.
std::vector<Metric> text_metrics(std::span<const Metric> metrics);

// "bleu, multi-bleu, ...": what score_text() takes, as help and messages list it.
std::string text_metric_names();

// A metric of text by its name; another name is a UserError.
Metric text_metric_named(std::string_view name);

// A metric that scores no texts is a std::logic_error.
TextScore score_text(Metric metric, const ScoredTexts& texts, const ScoreOptions& options);

// Numbers by their names in files.
using NamedScores = std::vector<std::pair<std::string, double>>;

NamedScores named_scores(Metric metric, const TextScore& score);

// How good a model is by a metric: the mean of its scores, larger being better. A metric that is not among
// the scores is a std::logic_error.
double quality_of(Metric metric, const NamedScores& scores);

}  // namespace memsizer::metrics

namespace memsizer {

template <>
std::span<const std::pair<metrics::Metric, std::string_view>> enum_names<metrics::Metric>();

}  // namespace memsizer
