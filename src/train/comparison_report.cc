#include "train/comparison_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include "core/error.h"
#include "report/shown_text.h"

namespace memsizer::train {
namespace {

using metrics::ScoreName;

std::vector<ScoreName> scores_of(Task task) {
  std::vector<ScoreName> scores;
  for (const metrics::Metric metric : metrics::headline_metrics(task)) {
    const std::span<const ScoreName> own = metrics::traits_of(metric).scores;
    scores.insert(scores.end(), own.begin(), own.end());
  }
  return scores;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    throw UserError("{} is damaged; remove it, and the run is finished again", path.string());
  return json;
}

void add_run(const ComparisonRun& run, ComparisonRow& row) {
  const nlohmann::json results = read_json(run.files().results());
  const nlohmann::json none = nlohmann::json::object();
  nlohmann::json scores = results.value("test", none);
  if (scores.empty()) scores = results.value("valid", none);
  for (const auto& [name, value] : scores.items()) {
    if (value.is_number()) row.scores[name].push_back(value.get<double>());
  }
  row.minutes.push_back(results.value("minutes", 0.0));
  row.updates = results.value("updates", int64_t{0});
  row.parameters = results.value("parameters", int64_t{0});
}

report::Series validation_curve(const ComparisonRun& run) {
  report::Series series{run.variant.name(), {}};
  for (const nlohmann::json& line : report::MetricsLog::read(run.files().metrics())) {
    if (line.value("kind", "") != "valid" || !line.contains("nll") || !line["nll"].is_number()) continue;
    series.points.emplace_back(line.value("step", 0.0), line["nll"].get<double>());
  }
  return series;
}

const ComparisonRow* row_of(const std::vector<ComparisonRow>& rows, const std::string& mechanism) {
  for (const ComparisonRow& row : rows) {
    if (row.variant.mechanism == mechanism && row.speed) return &row;
  }
  return nullptr;
}

// The first score over a number that the variants differ in.
report::Chart quality_chart(const std::vector<ComparisonRow>& rows, const ScoreName& score,
                            const std::string& label, double (*number)(const ComparisonRow&)) {
  report::Chart chart;
  chart.title = fmt::format("{} by {}", score.heading, label);
  chart.x_label = label;
  chart.y_label = score.heading;
  std::set<double> values;
  for (const ComparisonRow& row : rows) {
    const auto found = row.scores.find(std::string(score.name));
    if (number(row) <= 0 || found == row.scores.end()) continue;
    const std::string& name = row.variant.mechanism;
    auto series = std::ranges::find(chart.series, name, &report::Series::name);
    if (series == chart.series.end()) series = chart.series.insert(series, {name, {}});
    series->points.emplace_back(number(row), mean(found->second));
    values.insert(number(row));
  }
  for (report::Series& series : chart.series) std::ranges::sort(series.points);
  chart.x_ticks = {values.begin(), values.end()};
  chart.log_x = !values.empty() && *values.rbegin() / *values.begin() >= 8;
  return chart;
}

}  // namespace

std::string mean_text(const std::vector<double>& values, int decimals) {
  if (values.empty()) return "";
  const double middle = mean(values);
  if (values.size() == 1) return fmt::format("{:.{}f}", middle, decimals);
  double squares = 0.0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  const double deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return fmt::format("{:.{}f} ± {:.{}f}", middle, decimals, deviation, decimals);
}

ComparisonReport read_comparison(const std::vector<ComparisonRun>& runs) {
  ComparisonReport report;
  report.task = runs.front().recipe.task.kind;
  for (const ComparisonRun& run : runs) {
    if (report.rows.empty() || report.rows.back().variant.name() != run.variant.name()) {
      report.rows.emplace_back();
      report.rows.back().variant = run.variant;
      report.rows.back().config = run.recipe.model;
    }
    ComparisonRow& row = report.rows.back();
    ++row.seeds;
    if (!run.finished()) continue;
    if (row.minutes.empty()) report.curves.push_back(validation_curve(run));
    add_run(run, row);
  }
  return report;
}

report::Table ComparisonReport::table() const {
  const std::vector<ScoreName> scores = scores_of(task);
  std::set<int64_t> heads;
  std::set<std::string> keys;
  for (const ComparisonRow& row : rows) {
    heads.insert(heads_of(row.config));
    keys.insert(row.variant.keys);
  }
  report::Table table{{"mechanism", "k"}, {}};
  if (heads.size() > 1) table.heads.emplace_back("heads");
  if (keys.size() > 1) table.heads.emplace_back("keys");
  for (const ScoreName& score : scores) table.heads.emplace_back(score.heading);
  for (const char* head : {"tokens/s", "× softmax", "peak MB", "state KB", "parameters", "minutes"})
    table.heads.emplace_back(head);

  const auto number = [](double value) { return fmt::format("{:.{}f}", value, value < 100 ? 1 : 0); };
  const ComparisonRow* softmax = row_of(rows, "softmax");
  for (const auto& [name, values] : baselines) {
    std::vector<std::string> cells = {name};
    cells.resize(table.heads.size());
    const auto first = table.heads.size() - scores.size() - 6;
    for (size_t i = 0; i < scores.size(); ++i) {
      for (const auto& [key, value] : values) {
        if (key == scores[i].name) cells[first + i] = fmt::format("{:.2f}", value);
      }
    }
    table.rows.push_back(cells);
  }
  for (const ComparisonRow& row : rows) {
    std::vector<std::string> cells = {row.variant.mechanism, size_text(row.config)};
    if (heads.size() > 1) cells.push_back(fmt::to_string(heads_of(row.config)));
    if (keys.size() > 1) cells.push_back(row.variant.keys);
    for (const ScoreName& score : scores) {
      const auto found = row.scores.find(std::string(score.name));
      cells.push_back(found == row.scores.end() ? "" : mean_text(found->second, 2));
    }
    if (row.minutes.size() < row.seeds)
      cells.back() += fmt::format(" ({} of {} trained)", row.minutes.size(), row.seeds);
    if (row.speed) {
      const bench::GenerationResult& speed = *row.speed;
      cells.insert(
          cells.end(),
          {number(speed.tokens_per_second),
           softmax ? fmt::format("{:.2f}", speed.tokens_per_second / softmax->speed->tokens_per_second) : "",
           number(static_cast<double>(speed.peak_resident_bytes) / 1e6),
           number(static_cast<double>(speed.state_bytes) / 1e3)});
    } else {
      cells.insert(cells.end(), 4, "");
    }
    cells.push_back(row.parameters > 0 ? fmt::to_string(row.parameters) : "");
    cells.push_back(mean_text(row.minutes, 1));
    table.rows.push_back(cells);
  }
  return table;
}

std::vector<report::Chart> ComparisonReport::charts() const {
  std::vector<report::Chart> charts;
  const ScoreName score = scores_of(task).front();
  const auto slots = [](const ComparisonRow& row) {
    return row.variant.slots ? static_cast<double>(row.config.has_encoder() ? row.variant.slots->cross
                                                                            : row.variant.slots->causal)
                             : 0.0;
  };
  const auto heads = [](const ComparisonRow& row) {
    return static_cast<double>(row.variant.heads.value_or(0));
  };
  for (const report::Chart& chart :
       {quality_chart(rows, score, "slots k", slots), quality_chart(rows, score, "heads", heads)}) {
    if (chart.x_ticks.size() > 1) charts.push_back(chart);
  }
  report::Chart losses;
  losses.title = "Validation loss";
  losses.x_label = "update";
  losses.y_label = "nats a token";
  losses.series = curves;
  if (!curves.empty()) charts.push_back(losses);
  return charts;
}

std::string ComparisonReport::markdown() const {
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("- {}: {}\n", name, value);
  return text + "\n" + table().markdown();
}

nlohmann::json ComparisonReport::json() const {
  nlohmann::json about = nlohmann::json::object();
  for (const auto& [name, value] : facts) about[name] = value;
  nlohmann::json all = nlohmann::json::array();
  for (const ComparisonRow& row : rows) {
    nlohmann::json object = {{"variant", row.variant.name()},
                             {"mechanism", row.variant.mechanism},
                             {"k", size_text(row.config)},
                             {"heads", heads_of(row.config)},
                             {"scores", row.scores},
                             {"minutes", row.minutes},
                             {"updates", row.updates},
                             {"parameters", row.parameters},
                             {"seeds", row.seeds}};
    if (!row.variant.keys.empty()) object["keys"] = row.variant.keys;
    if (row.speed) {
      object["tokens_per_second"] = row.speed->tokens_per_second;
      object["slow_tokens_per_second"] = row.speed->slow_tokens_per_second;
      object["fast_tokens_per_second"] = row.speed->fast_tokens_per_second;
      object["encoder_seconds"] = row.speed->encoder_seconds;
      object["peak_resident_bytes"] = row.speed->peak_resident_bytes;
      object["state_bytes"] = row.speed->state_bytes;
    }
    all.push_back(object);
  }
  nlohmann::json others = nlohmann::json::object();
  for (const auto& [name, values] : baselines) {
    for (const auto& [key, value] : values) others[name][key] = value;
  }
  return {{"about", about}, {"rows", all}, {"baselines", others}};
}

std::string ComparisonReport::html() const {
  return report::page(
      title, report::facts_section(facts) +
                 fmt::format("<section>\n<h2>Results</h2>\n<div class=\"wide\">\n{}</div>\n</section>\n",
                             table().html()) +
                 report::charts_section(charts()));
}

}  // namespace memsizer::train
