#include "metrics/metric.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "core/enum_value.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/rouge.h"
#include "support/messages.h"

namespace memsizer::metrics {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;

ScoredTexts some_texts() {
  return {{"the cat sat on a mat", "it rains"}, {{"the cat sat on the mat", "it rains today"}}, {}};
}

std::vector<std::string> score_names(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (const Metric metric : metrics) {
    for (const ScoreName& score : traits_of(metric).scores) names.emplace_back(score.name);
  }
  return names;
}

TEST(Metric, EachHasItsNameAndScoresToShow) {
  std::set<std::string_view> names;
  for (const MetricTraits& traits : all_metrics()) {
    EXPECT_TRUE(names.insert(traits.name).second) << traits.name;
    EXPECT_EQ(enum_value<Metric>(traits.name), traits.metric);
    EXPECT_FALSE(traits.scores.empty()) << traits.name;
    for (const ScoreName& score : traits.scores)
      EXPECT_FALSE(score.name.empty() || score.heading.empty() || score.printed.empty()) << traits.name;
  }
}

// What recipes and results of earlier versions say.
TEST(Metric, NamesStayAsTheyAre) {
  for (const std::string_view name : {"loss", "bleu", "chrf", "rouge"})
    EXPECT_TRUE(enum_value<Metric>(name)) << name;
  for (const std::string_view name : {"13a", "zh", "none", "char", "intl"})
    EXPECT_TRUE(enum_value<BleuTokenizer>(name)) << name;
  EXPECT_EQ(text_metric_names(), "bleu, multi-bleu, chrf, chrf++, rouge, rouge-1.5.5");
  using Names = std::vector<std::string>;
  EXPECT_EQ(score_names(headline_metrics(Task::Translation)), (Names{"bleu", "chrf", "perplexity"}));
  EXPECT_EQ(score_names(headline_metrics(Task::Summarization)),
            (Names{"rouge1", "rouge2", "rougeL", "perplexity"}));
  EXPECT_EQ(score_names(headline_metrics(Task::LanguageModel)), (Names{"perplexity"}));
  EXPECT_EQ(score_names(text_metrics(recorded_metrics(Task::Translation))), (Names{"bleu", "chrf"}));
  EXPECT_EQ(score_names(text_metrics(recorded_metrics(Task::Summarization))),
            (Names{"rouge1", "rouge2", "rougeL", "bleu", "chrf"}));
  EXPECT_TRUE(text_metrics(recorded_metrics(Task::LanguageModel)).empty());
}

TEST(Metric, WhatATaskIsMeasuredByIsRecordedToo) {
  for (const auto& [task, name] : enum_names<Task>()) {
    const std::vector<Metric> recorded = recorded_metrics(task);
    for (const Metric metric : headline_metrics(task))
      EXPECT_NE(std::ranges::find(recorded, metric), recorded.end()) << name << " " << enum_name(metric);
    EXPECT_NE(std::ranges::find(recorded, Metric::Loss), recorded.end()) << name;
  }
}

TEST(Metric, ScoresAreThoseOfTheirFunctions) {
  const ScoredTexts texts = some_texts();
  const ScoreOptions options;
  EXPECT_EQ(score_text(Metric::Bleu, texts, options).values,
            std::vector<double>{bleu(texts.hypotheses, texts.references).score});
  EXPECT_EQ(score_text(Metric::Chrf, texts, options).values,
            std::vector<double>{chrf(texts.hypotheses, texts.references)});
  const RougeScore rouge = corpus_rouge(texts.hypotheses, texts.references.front(), {.stemmer = true});
  EXPECT_EQ(
      score_text(Metric::Rouge, texts, options).values,
      (std::vector<double>{100.0 * rouge.rouge1.f1, 100.0 * rouge.rouge2.f1, 100.0 * rouge.rouge_l.f1}));
}

TEST(Metric, EveryMetricOfTextHasANumberForEachOfItsScores) {
  for (const MetricTraits& traits : all_metrics()) {
    if (!traits.score) continue;
    const TextScore found = score_text(traits.metric, some_texts(), {});
    EXPECT_EQ(found.values.size(), traits.scores.size()) << traits.name;
    EXPECT_FALSE(found.line.empty() || found.json.empty()) << traits.name;
    EXPECT_EQ(named_scores(traits.metric, found).front().first, traits.scores.front().name);
  }
}

TEST(Metric, OptionsReachTheirMetrics) {
  ScoredTexts texts = some_texts();
  texts.hypotheses.front() = "The CAT sat on the mats";
  const auto value = [&](Metric metric, const ScoreOptions& options) {
    return score_text(metric, texts, options).values.front();
  };
  EXPECT_GT(value(Metric::Bleu, {.lowercase = true}), value(Metric::Bleu, {}));
  EXPECT_GT(value(Metric::Chrf, {.lowercase = true}), value(Metric::Chrf, {}));
  EXPECT_GT(value(Metric::Rouge, {.stemmer = true}), value(Metric::Rouge, {.stemmer = false}));
  EXPECT_NE(value(Metric::Bleu, {.tokenizer = BleuTokenizer::Char}), value(Metric::Bleu, {}));
  EXPECT_TRUE(has_text(score_text(Metric::Bleu, texts, {.smoothing = BleuSmoothing::Floor}).line,
                       "tok:13a|smooth:floor[0.10]"));
}

TEST(Metric, ABaselineIsComparedWhereTheMetricTakesOne) {
  ScoredTexts texts = some_texts();
  texts.baseline = texts.hypotheses;
  for (const MetricTraits& traits : all_metrics()) {
    if (!traits.score) continue;
    const TextScore found = score_text(traits.metric, texts, {.bootstrap = {.samples = 10, .seed = 1}});
    EXPECT_EQ(found.json.contains("significance"), traits.takes_baseline) << traits.name;
  }
}

TEST(Metric, QualityIsLargerWhereTheModelIsBetter) {
  const NamedScores scores = {{"nll", 2.0},     {"perplexity", 7.5}, {"rouge1", 30.0},
                              {"rouge2", 12.0}, {"rougeL", 27.0},    {"bleu", 11.0}};
  EXPECT_DOUBLE_EQ(quality_of(Metric::Loss, scores), -2.0);
  EXPECT_DOUBLE_EQ(quality_of(Metric::Perplexity, scores), -7.5);
  EXPECT_DOUBLE_EQ(quality_of(Metric::Bleu, scores), 11.0);
  EXPECT_DOUBLE_EQ(quality_of(Metric::Rouge, scores), 23.0);
  EXPECT_THROW(quality_of(Metric::Chrf, scores), std::logic_error);
}

TEST(Metric, MistakesAreNamed) {
  EXPECT_TRUE(has_text(message_of([] { text_metric_named("blue"); }),
                       "metric 'blue' is not known; did you mean 'bleu'?; known are bleu, multi-bleu"));
  // Perplexity is no score of texts.
  EXPECT_TRUE(has_text(message_of([] { text_metric_named("perplexity"); }), "is not known"));
  EXPECT_THROW(score_text(Metric::Loss, some_texts(), {}), std::logic_error);
  ScoredTexts two = some_texts();
  two.references.push_back(two.references.front());
  EXPECT_TRUE(has_text(message_of([&] { score_text(Metric::Rouge, two, {}); }), "takes one reference file"));
}

}  // namespace
}  // namespace memsizer::metrics
