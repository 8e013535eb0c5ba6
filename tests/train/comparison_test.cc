#include "train/comparison.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/messages.h"
#include "support/temp_dir.h"
#include "train/comparison_report.h"

namespace memsizer::train {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;
using memsizer::testing::TempDir;

namespace fs = std::filesystem;

ComparisonPlan plan_in(const fs::path& out) {
  ComparisonPlan plan;
  plan.recipe = "recipes/multi30k-en-de.toml";
  plan.variants.mechanisms = {"softmax", "memsizer"};
  plan.seeds = {1, 2};
  plan.out = out;
  return plan;
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// What a training of that run would leave.
void finish(const ComparisonRun& run, double bleu) {
  write(run.folder / "recipe.toml", run.recipe.to_toml());
  write(run.folder / "metrics.jsonl", R"({"step": 10, "kind": "valid", "nll": 2.5})"
                                      "\n");
  write(run.folder / "results.json",
        nlohmann::json{{"updates", 10},
                       {"minutes", 1.5},
                       {"parameters", 1234},
                       {"test", {{"bleu", bleu}, {"chrf", 50.0}, {"perplexity", 5.0}}}}
            .dump());
}

TEST(Comparison, EachVariantWithEachSeedInItsFolder) {
  const TempDir dir;
  const auto runs = plan_runs(plan_in(dir / "out"));
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].folder, dir / "out" / "softmax" / "seed-1");
  EXPECT_EQ(runs[3].folder, dir / "out" / "memsizer" / "seed-2");
  EXPECT_EQ(runs[0].recipe.model.decoder.cross, mechanism_named("softmax"));
  EXPECT_EQ(runs[3].recipe.model.decoder.self, mechanism_named("memsizer"));
  EXPECT_EQ(runs[3].recipe.training.seed, 2);
  // All runs tokenise once.
  EXPECT_EQ(runs[0].recipe.data.cache, runs[3].recipe.data.cache);
  EXPECT_FALSE(runs[0].finished());
}

TEST(Comparison, MistakesAreFoundBeforeTraining) {
  const TempDir dir;
  ComparisonPlan plan = plan_in(dir / "out");
  plan.variants.mechanisms = {"softmax", "memsizr"};
  EXPECT_TRUE(has_text(message_of([&] { plan_runs(plan); }), "memsizr"));
  plan = plan_in(dir / "out");
  plan.seeds = {1, 1};
  EXPECT_TRUE(has_text(message_of([&] { plan_runs(plan); }), "asked for twice"));
  plan = plan_in(dir / "out");
  plan.variants.heads = {7};
  EXPECT_TRUE(has_text(message_of([&] { plan_runs(plan); }), "heads"));
}

TEST(Comparison, AFolderOfAnotherRecipeIsRefused) {
  const TempDir dir;
  ComparisonPlan plan = plan_in(dir / "out");
  const auto runs = plan_runs(plan);
  finish(runs[0], 30.0);
  EXPECT_EQ(message_of([&] { plan_runs(plan); }), "no error");
  // Where the text lies and how many threads there are does not make it another run.
  plan.settings = {"data.directory=elsewhere", "training.threads=2"};
  EXPECT_EQ(message_of([&] { plan_runs(plan); }), "no error");
  plan.settings = {"training.max_updates=7"};
  EXPECT_TRUE(has_text(message_of([&] { plan_runs(plan); }), "holds a run of another recipe"));
}

TEST(ComparisonReport, HasMeanAndDeviationOfTheSeeds) {
  const TempDir dir;
  const auto runs = plan_runs(plan_in(dir / "out"));
  finish(runs[0], 30.0);
  finish(runs[1], 32.0);
  finish(runs[2], 29.0);
  ComparisonReport report = read_comparison(runs);
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[0].scores.at("bleu"), (std::vector<double>{30.0, 32.0}));
  report.rows[0].speed = bench::GenerationResult{};
  report.rows[0].speed->tokens_per_second = 100.0;
  report.rows[1].speed = report.rows[0].speed;
  report.rows[1].speed->tokens_per_second = 150.0;
  const std::string text = report.markdown();
  EXPECT_TRUE(has_text(text, "31.00 ± 1.41"));
  EXPECT_TRUE(has_text(text, "29.00"));
  EXPECT_TRUE(has_text(text, "(1 of 2 trained)"));
  EXPECT_TRUE(has_text(text, "4/32"));
  EXPECT_TRUE(has_text(text, "1.50"));
  EXPECT_TRUE(has_text(text, "1234"));
  ASSERT_EQ(report.charts().size(), 1U);
  EXPECT_EQ(report.charts().front().series.size(), 2U);
  EXPECT_EQ(report.json()["rows"][0]["scores"]["bleu"][1], 32.0);
}

TEST(ComparisonReport, DrawsQualityOverSlots) {
  const TempDir dir;
  ComparisonPlan plan = plan_in(dir / "out");
  plan.variants.mechanisms = {"memsizer"};
  plan.variants.slots = {"4", "8", "64"};
  plan.seeds = {1};
  const auto runs = plan_runs(plan);
  for (size_t i = 0; i < runs.size(); ++i) finish(runs[i], 20.0 + static_cast<double>(i));
  const report::Chart chart = read_comparison(runs).charts().front();
  EXPECT_EQ(chart.title, "BLEU by slots k");
  EXPECT_EQ(chart.x_ticks, (std::vector<double>{4, 8, 64}));
  EXPECT_EQ(chart.series.front().points.back(), (std::pair{64.0, 22.0}));
}

TEST(ComparisonReport, EachTaskHasItsMeasures) {
  const auto heads = [](Task task) {
    ComparisonReport report;
    report.task = task;
    std::vector<std::string> all = report.table().heads;
    return std::vector<std::string>(all.begin() + 2, std::ranges::find(all, "tokens/s"));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(heads(Task::Translation), (Names{"BLEU", "chrF", "perplexity"}));
  EXPECT_EQ(heads(Task::Summarization), (Names{"ROUGE-1", "ROUGE-2", "ROUGE-L", "perplexity"}));
  EXPECT_EQ(heads(Task::LanguageModel), (Names{"perplexity"}));
}

TEST(ComparisonReport, ADamagedResultIsNamed) {
  const TempDir dir;
  const auto runs = plan_runs(plan_in(dir / "out"));
  finish(runs[0], 30.0);
  write(runs[0].folder / "results.json", "{\"upda");
  EXPECT_TRUE(has_text(message_of([&] { read_comparison(runs); }), "results.json is damaged"));
}

}  // namespace
}  // namespace memsizer::train
