#include "cli/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/sweep.h"
#include "cli/command_line.h"
#include "core/atomic_file.h"
#include "core/child_process.h"
#include "core/error.h"
#include "evaluate/pairs.h"
#include "kernels/team.h"
#include "metrics/lead.h"
#include "text/example_reader.h"
#include "train/comparison_report.h"
#include "train/training_jobs.h"

namespace memsizer::cli {
namespace {

namespace fs = std::filesystem;
using train::ComparisonReport;
using train::ComparisonRow;
using train::ComparisonRun;

struct CompareCommand {
  train::ComparisonPlan plan;
  std::string out;
  int jobs = 1;
  int64_t lead = 3;
  bool no_train = false;
  bool no_bench = false;
  int64_t batch = 16;
  int64_t length = 0;
  int64_t source_length = 0;
  int threads = 0;
  std::string precision = "fp32";
  std::string report;
  bool json = false;
};

// What is measured of each: lengths as the task has them, unless told otherwise.
struct SpeedPoint {
  int64_t length = 0;
  int64_t source_length = 0;  // 0: as long
};

SpeedPoint speed_point(const CompareCommand& command, const train::Recipe& recipe) {
  SpeedPoint point{command.length, command.source_length};
  const Task task = recipe.task.kind;
  if (point.length == 0) point.length = task == Task::LanguageModel ? 256 : 32;
  if (task == Task::Summarization && point.source_length == 0)
    point.source_length = std::min<int64_t>(recipe.data.max_source_tokens, 1024);
  return point;
}

// Measured by `memsizer bench`, which is without LibTorch and its memory.
std::optional<bench::GenerationResult> measure(const CompareCommand& command, const ComparisonRun& run) {
  const SpeedPoint point = speed_point(command, run.recipe);
  const auto found =
      output_of({sibling_program("memsizer"), "bench", "--json", "--model", run.files().model().string(),
                 "--batch", fmt::to_string(command.batch), "--lengths", fmt::to_string(point.length),
                 "--source-length", fmt::to_string(point.source_length), "--threads",
                 fmt::to_string(command.threads), "--precision", command.precision});
  if (!found) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(*found).at("points").at(0);
  if (json.contains("failed")) return std::nullopt;
  bench::GenerationResult result;
  result.tokens_per_second = json.at("tokens_per_second");
  result.slow_tokens_per_second = json.at("slow_tokens_per_second");
  result.fast_tokens_per_second = json.at("fast_tokens_per_second");
  result.encoder_seconds = json.at("encoder_seconds");
  result.peak_resident_bytes = json.at("peak_resident_bytes");
  result.state_bytes = json.at("state_bytes");
  return result;
}

void measure_speeds(const CompareCommand& command, const std::vector<ComparisonRun>& runs,
                    ComparisonReport& report) {
  for (ComparisonRow& row : report.rows) {
    const auto run = std::ranges::find_if(runs, [&](const ComparisonRun& one) {
      return one.variant.name() == row.variant.name() && one.finished();
    });
    if (run == runs.end()) continue;
    row.speed = measure(command, *run);
    if (!row.speed) fmt::print(stderr, "{}: speed and memory could not be measured\n", row.variant.name());
  }
}

// The lead baseline, which needs no model.
void add_lead(const CompareCommand& command, const train::Recipe& recipe, ComparisonReport& report) {
  if (recipe.task.kind != Task::Summarization || command.lead < 1) return;
  const std::vector<std::string>& files = recipe.data.test.empty() ? recipe.data.valid : recipe.data.test;
  text::CorpusReport findings;
  const auto reader = text::open_examples(recipe.data, files, findings);
  std::vector<std::string> outputs;
  std::vector<std::string> references;
  text::Example example;
  while (reader->next(example)) {
    outputs.push_back(metrics::lead_sentences(example.source, command.lead));
    references.push_back(example.target);
  }
  evaluate::PairProtocol protocol;
  protocol.metrics = metrics::text_metrics(metrics::headline_metrics(recipe.task.kind));
  report.baselines.emplace_back(
      fmt::format("Lead-{}", command.lead),
      evaluate::evaluate_outputs(std::move(outputs), references, protocol).evaluation.scores);
}

report::Facts facts_of(const CompareCommand& command, const std::vector<ComparisonRun>& runs) {
  const train::Recipe& recipe = runs.front().recipe;
  const train::TrainingOptions& training = recipe.training;
  report::Facts facts = bench::machine_facts();
  facts.emplace_back("recipe", fs::path(command.plan.recipe).filename().string());
  if (!command.plan.settings.empty())
    facts.emplace_back("settings", fmt::format("{}", fmt::join(command.plan.settings, " ")));
  std::string budget = fmt::format("{} updates", training.max_updates);
  if (training.max_epochs > 0) budget += fmt::format(", at most {} epochs", training.max_epochs);
  if (training.max_minutes > 0) budget += fmt::format(", at most {} minutes", training.max_minutes);
  facts.emplace_back("budget of each", budget);
  facts.emplace_back("seeds", fmt::format("{}", fmt::join(command.plan.seeds, ", ")));
  if (!command.no_bench) {
    const SpeedPoint point = speed_point(command, recipe);
    facts.emplace_back(
        "speed and memory",
        fmt::format("greedy, {}, {} threads, batch {}, {} tokens generated{}", command.precision,
                    command.threads > 0 ? command.threads : kernels::physical_cores(), command.batch,
                    point.length,
                    recipe.is_language_model()
                        ? ""
                        : fmt::format(" from sources of {}",
                                      point.source_length > 0 ? point.source_length : point.length)));
  }
  return facts;
}

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

ComparisonReport report_of(const CompareCommand& command, const std::vector<ComparisonRun>& runs) {
  ComparisonReport report = train::read_comparison(runs);
  const train::Recipe& recipe = runs.front().recipe;
  report.title =
      recipe.task.name.empty() ? "Mechanisms compared" : recipe.task.name + ": mechanisms compared";
  report.facts = facts_of(command, runs);
  add_lead(command, recipe, report);
  return report;
}

fs::path page_of(const CompareCommand& command) {
  return command.report.empty() ? command.plan.out / "compare.html" : fs::path(command.report);
}

void write_report(const CompareCommand& command, const ComparisonReport& report) {
  write_file(command.plan.out / "compare.md", report.markdown());
  write_file(command.plan.out / "compare.json", report.json().dump(2) + "\n");
  write_file(page_of(command), report.html());
}

// A folder or page that cannot be written is found before hours of training.
void require_writable(const CompareCommand& command) {
  std::error_code error;
  fs::create_directories(command.plan.out, error);
  if (error)
    throw UserError("cannot create the folder {}: {}; choose another with --out", command.plan.out.string(),
                    error.message());
  AtomicFile{command.plan.out / "compare.md"};
  AtomicFile{page_of(command)};
}

void require_at_least(const char* name, int64_t value, int64_t least) {
  if (value < least || value > (1 << 24))
    throw UserError("{} is {}; it must be {} to {}", name, value, least, 1 << 24);
}

void run_compare(CompareCommand command) {
  if (command.plan.recipe.empty())
    throw UserError(
        "no recipe given; try memsizer compare recipes/multi30k-en-de.toml --set data.directory=DIR");
  if (command.jobs < 1 || command.jobs > 64) throw UserError("jobs is {}; it must be 1 to 64", command.jobs);
  command.plan.out = command.out.empty()
                         ? fs::path("runs") / ("compare-" + command.plan.recipe.stem().string())
                         : fs::path(command.out);
  // Mistakes in what is measured last are found before hours of training.
  bench::precision_of(command.precision);
  require_at_least("batch", command.batch, 1);
  require_at_least("length", command.length, 0);
  require_at_least("source length", command.source_length, 0);
  require_at_least("lead", command.lead, 0);
  const std::vector<ComparisonRun> runs = train::plan_runs(command.plan);
  require_writable(command);
  if (!command.no_train) {
    // The table so far after each run, for whoever wants to look.
    train::TrainingJobs jobs(command.plan.recipe, runs, command.jobs);
    const bool complete = jobs.run([&] { write_report(command, report_of(command, runs)); });
    if (!complete) {
      fmt::print("stopped; everything is saved, the same command goes on\n");
      return;
    }
  }
  ComparisonReport report = report_of(command, runs);
  if (!command.no_bench) measure_speeds(command, runs, report);
  write_report(command, report);
  fmt::print("{}", command.json ? report.json().dump(2) + "\n" : report.markdown());
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareCommand>();
  for (const Mechanism& mechanism : mechanisms()) {
    if (mechanism.traits().in_paper_tables) options->plan.variants.mechanisms.emplace_back(mechanism.name());
  }
  CLI::App* command = app.add_subcommand(
      "compare", "Train a recipe with several mechanisms under one budget; quality, speed, memory and size");
  const auto add_list = [&](const char* name, auto& list, const char* help) {
    command->add_option(name, list, help)->delimiter(',')->capture_default_str();
  };
  command->add_option("recipe", options->plan.recipe, "a TOML file, such as recipes/multi30k-en-de.toml");
  add_settings_option(*command, options->plan.settings);
  add_list("--mechanisms", options->plan.variants.mechanisms, "in the decoder");
  add_list("--slots", options->plan.variants.slots,
           "their slots or features k: 8, or causal/cross such as 4/32");
  add_list("--heads", options->plan.variants.heads, "their heads");
  add_list("--keys", options->plan.variants.keys, "MemSizer's keys: learned, frozen, input");
  add_list("--seeds", options->plan.seeds, "each is trained; the table has mean and standard deviation");
  command->add_option(
      "--out", options->out,
      "folder of the runs and of compare.md, .json and .html; an unfinished comparison there goes "
      "on [runs/compare-RECIPE]");
  command->add_option("--jobs", options->jobs, "trainings at once, which share the cores")
      ->capture_default_str();
  command
      ->add_option("--lead", options->lead, "summarisation: sentences of the lead baseline; 0 leaves it out")
      ->capture_default_str();
  command->add_flag("--no-train", options->no_train, "only report on what is trained already");
  command->add_flag("--no-bench", options->no_bench, "do not measure speed and memory");
  command->add_option("--batch", options->batch, "of the speed measurement")->capture_default_str();
  command->add_option("--length", options->length, "tokens generated in it (32; language models 256)");
  command->add_option("--source-length", options->source_length,
                      "tokens of its sources (as many; summarisation: what the recipe reads)");
  command->add_option("--precision", options->precision, "of it: fp32, bf16, int8")->capture_default_str();
  command->add_option("--threads", options->threads, "of it; 0 takes the physical cores")
      ->capture_default_str();
  command->add_option("--report", options->report, "where the page goes instead of compare.html");
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_compare(*options); });
}

}  // namespace memsizer::cli
