#include "train/run_report.h"

#include <sys/resource.h>

#include <algorithm>

#include "report/metrics_log.h"
#include "report/training_report.h"
#include "train/trainer.h"

namespace memsizer::train {
namespace {

int64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;
}

nlohmann::json as_json(const report::Scalars& scalars) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : scalars) json[name] = value;
  return json;
}

// One curve of the log: the values of `key` in lines of `kind`.
report::Series curve(const std::vector<nlohmann::json>& lines, const std::string& kind,
                     const std::string& key, const std::string& name) {
  report::Series series{name, {}};
  for (const nlohmann::json& line : lines) {
    if (line.value("kind", "") != kind || !line.contains(key) || !line[key].is_number()) continue;
    series.points.emplace_back(line.value("step", 0.0), line[key].get<double>());
  }
  return series;
}

std::vector<report::Chart> charts_of(const std::vector<nlohmann::json>& lines, const TrainingResult& result) {
  const auto chart = [](const std::string& title, const std::string& unit, bool log_y,
                        std::vector<report::Series> series) {
    std::erase_if(series, [](const report::Series& one) { return one.points.empty(); });
    return report::Chart{title, "update", unit, false, log_y, std::move(series)};
  };
  std::vector<report::Chart> charts;
  charts.push_back(
      chart("Loss", "nats a token", false,
            {curve(lines, "train", "nll", "training"), curve(lines, "valid", "nll", "validation")}));
  std::vector<report::Series> scores;
  for (const auto& [name, value] : result.valid) {
    if (name != "nll" && name != "perplexity") scores.push_back(curve(lines, "valid", name, name));
  }
  if (!scores.empty())
    charts.push_back(chart("Validation scores", "score, 0 to 100", false, std::move(scores)));
  charts.push_back(chart("Learning rate", "learning rate", false,
                         {curve(lines, "train", "learning_rate", "learning rate")}));
  charts.push_back(chart("Speed", "target tokens a second", false,
                         {curve(lines, "train", "tokens_per_second", "training")}));
  return charts;
}

}  // namespace

void write_results(const RunFolder& folder, const TrainingResult& result, const Recipe& recipe,
                   int64_t parameters, const TrainerState& state) {
  const nlohmann::json json = {{"updates", result.updates},     {"epochs", state.position.epoch},
                               {"target_tokens", state.tokens}, {"minutes", result.seconds / 60.0},
                               {"parameters", parameters},      {"peak_memory_bytes", peak_memory_bytes()},
                               {"best_step", state.best_step},  {"valid", as_json(result.valid)},
                               {"test", as_json(result.test)}};
  write_text(folder.results(), fmt::format("{}\n", json.dump(2)));

  report::TrainingReport page;
  page.title = recipe.task.name.empty() ? folder.path().filename().string() : recipe.task.name;
  page.summary = {{"updates", std::to_string(result.updates)},
                  {"minutes of training", fmt::format("{:.1f}", result.seconds / 60.0)},
                  {"target tokens trained on", std::to_string(state.tokens)},
                  {"parameters", std::to_string(parameters)},
                  {"peak memory", fmt::format("{:.0f} MB", static_cast<double>(peak_memory_bytes()) / 1e6)}};
  for (const auto& [name, value] : result.valid)
    page.summary.emplace_back(fmt::format("validation {}", name), fmt::format("{:.2f}", value));
  for (const auto& [name, value] : result.test)
    page.summary.emplace_back(fmt::format("test {}", name), fmt::format("{:.2f}", value));
  page.charts = charts_of(report::MetricsLog::read(folder.metrics()), result);
  page.samples = result.samples;
  page.recipe = recipe.to_toml();
  report::write_training_report(folder.report(), page);
}

}  // namespace memsizer::train
