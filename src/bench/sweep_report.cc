#include "bench/sweep_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/state_size.h"
#include "report/axis.h"
#include "report/shown_text.h"

namespace memsizer::bench {
namespace {

// More lines than this in a chart cannot be told apart.
constexpr size_t kMostSeries = 12;

// Something that a sweep varies.
struct Axis {
  std::string name;
  std::string label;                          // of a chart's axis; empty: no numbers
  std::string (*text)(const SweepPoint& at);  // "": this point has none
  double (*number)(const SweepPoint& at);     // 0: this point has none
};

double slots_of(const SweepPoint& at) {
  if (!at.variant.slots) return 0.0;
  return static_cast<double>(at.point.config.has_encoder() ? at.variant.slots->cross
                                                           : at.variant.slots->causal);
}

const std::vector<Axis>& axes() {
  static const std::vector<Axis> all = {
      {"mechanism", "", [](const SweepPoint& at) { return at.variant.mechanism; }, nullptr},
      {"keys", "", [](const SweepPoint& at) { return at.variant.keys; }, nullptr},
      {"precision", "", [](const SweepPoint& at) { return at.precision; }, nullptr},
      {"k", "slots k", [](const SweepPoint& at) { return at.variant.slots ? at.variant.slots->text() : ""; },
       slots_of},
      {"heads", "heads",
       [](const SweepPoint& at) { return at.variant.heads ? fmt::to_string(*at.variant.heads) : ""; },
       [](const SweepPoint& at) { return static_cast<double>(at.variant.heads.value_or(0)); }},
      {"threads", "threads", [](const SweepPoint& at) { return fmt::to_string(at.point.threads); },
       [](const SweepPoint& at) { return static_cast<double>(at.point.threads); }},
      {"batch", "batch (rows)", [](const SweepPoint& at) { return fmt::to_string(at.point.batch); },
       [](const SweepPoint& at) { return static_cast<double>(at.point.batch); }},
      {"beam", "beam", [](const SweepPoint& at) { return fmt::to_string(at.point.beam); },
       [](const SweepPoint& at) { return static_cast<double>(at.point.beam); }},
      {"shortlist", "shortlist (tokens)",
       [](const SweepPoint& at) {
         return at.point.shortlist > 0 ? fmt::to_string(at.point.shortlist) : "all";
       },
       [](const SweepPoint& at) { return static_cast<double>(at.point.shortlist); }},
      {"length", "length (tokens)", [](const SweepPoint& at) { return fmt::to_string(at.point.length); },
       [](const SweepPoint& at) { return static_cast<double>(at.point.length); }},
  };
  return all;
}

using Measurements = std::vector<SweepMeasurement>;

size_t values_of(const Axis& axis, const Measurements& measurements) {
  std::set<std::string> values;
  for (const SweepMeasurement& one : measurements) values.insert(axis.text(one.at));
  return values.size();
}

// What a curve over `across` is called: everything else that varies.
std::string series_name(const SweepPoint& at, const Axis& across, const Measurements& measurements) {
  std::vector<std::string> parts;
  for (const Axis& axis : axes()) {
    if (axis.name == across.name || values_of(axis, measurements) < 2) continue;
    const std::string text = axis.text(at);
    if (text.empty()) continue;
    parts.push_back(axis.number ? fmt::format("{} {}", axis.name, text) : text);
  }
  return parts.empty() ? at.variant.mechanism : fmt::format("{}", fmt::join(parts, ", "));
}

// All that can be drawn over `across`: everything, or if that is too much, with the other numbers at their
// first value.
Measurements drawn_over(const Axis& across, const Measurements& all) {
  Measurements drawn;
  for (const SweepMeasurement& one : all) {
    if (one.result && across.number(one.at) > 0) drawn.push_back(one);
  }
  std::set<std::string> names;
  for (const SweepMeasurement& one : drawn) names.insert(series_name(one.at, across, drawn));
  if (names.size() <= kMostSeries) return drawn;
  for (const Axis& axis : axes()) {
    if (!axis.number || axis.name == across.name) continue;
    const std::string first = axis.text(drawn.front().at);
    std::erase_if(drawn, [&](const SweepMeasurement& one) { return axis.text(one.at) != first; });
  }
  return drawn;
}

struct Quantity {
  std::string title;
  std::string unit;
  double (*of)(const GenerationResult& result);
};

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all = {
      {"Speed of generation", "tokens/s", [](const GenerationResult& r) { return r.tokens_per_second; }},
      {"Peak memory of the process", "MB",
       [](const GenerationResult& r) { return static_cast<double>(r.peak_resident_bytes) / 1e6; }},
      {"State of all rows", "KB",
       [](const GenerationResult& r) { return static_cast<double>(r.state_bytes) / 1e3; }},
      {"Reading the sources", "ms", [](const GenerationResult& r) { return 1e3 * r.encoder_seconds; }},
  };
  return all;
}

// A logarithmic axis helps where values are far apart.
bool wide(double low, double high, double ratio) {
  return low > 0 && high / low >= ratio;
}

report::Chart chart_of(const Quantity& quantity, const Axis& across, const Measurements& drawn) {
  report::Chart chart;
  chart.title = fmt::format("{} by {}", quantity.title, across.name);
  chart.x_label = across.label;
  chart.y_label = quantity.unit;
  std::set<double> values;
  report::Range x{1e300, 0};
  report::Range y{1e300, 0};
  for (const SweepMeasurement& one : drawn) {
    const std::string name = series_name(one.at, across, drawn);
    auto series = std::ranges::find(chart.series, name, &report::Series::name);
    if (series == chart.series.end()) series = chart.series.insert(series, {name, {}});
    const std::pair<double, double> point = {across.number(one.at), quantity.of(*one.result)};
    series->points.push_back(point);
    values.insert(point.first);
    x = {std::min(x.low, point.first), std::max(x.high, point.first)};
    y = {std::min(y.low, point.second), std::max(y.high, point.second)};
  }
  for (report::Series& series : chart.series) std::ranges::sort(series.points);
  chart.log_x = wide(x.low, x.high, 8);
  chart.log_y = wide(y.low, y.high, 8);
  chart.from_zero = true;
  chart.x_ticks = {values.begin(), values.end()};
  return chart;
}

std::string number(double value) {
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

// What each decoder layer keeps of one row at the end.
std::vector<int64_t> layer_state_bytes(const GenerationPoint& point) {
  std::vector<int64_t> bytes;
  for (const LayerStateSize& layer : layer_state_sizes(point.config))
    bytes.push_back(layer.total().at(point.length, point.source_tokens()));
  return bytes;
}

nlohmann::json point_json(const SweepMeasurement& one) {
  const GenerationPoint& point = one.at.point;
  nlohmann::json json = {{"mechanism", one.at.variant.mechanism},
                         {"variant", one.at.variant.name()},
                         {"precision", one.at.precision},
                         {"threads", point.threads},
                         {"batch", point.batch},
                         {"beam", point.beam},
                         {"length", point.length},
                         {"shortlist", point.shortlist},
                         {"source_length", point.config.has_encoder() ? point.source_tokens() : 0}};
  if (one.at.variant.slots) json["slots"] = one.at.variant.slots->text();
  if (one.at.variant.heads) json["heads"] = *one.at.variant.heads;
  if (!one.at.variant.keys.empty()) json["keys"] = one.at.variant.keys;
  if (!one.result) {
    json["failed"] = true;
    return json;
  }
  const GenerationResult& result = *one.result;
  json.update({{"tokens_per_second", result.tokens_per_second},
               {"slow_tokens_per_second", result.slow_tokens_per_second},
               {"fast_tokens_per_second", result.fast_tokens_per_second},
               {"encoder_seconds", result.encoder_seconds},
               {"step_p50_seconds", result.step_p50},
               {"step_p95_seconds", result.step_p95},
               {"gflops", result.gflops},
               {"peak_gflops", result.peak_gflops},
               {"read_fraction", result.read_fraction},
               {"read_gbytes_per_second", result.read_gbytes},
               {"peak_resident_bytes", result.peak_resident_bytes},
               {"resident_growth_bytes", result.resident_growth},
               {"state_bytes", result.state_bytes},
               {"layer_state_bytes", layer_state_bytes(point)},
               {"weight_bytes", result.weight_bytes},
               {"steps_timed", result.steps_timed},
               {"repeats", result.repeats}});
  return json;
}

// Where the curve rises above the other for good; the curves are over the same lengths.
std::string crossover(const report::Series& series, const report::Series& other) {
  std::vector<std::pair<double, double>> ratios;
  for (const auto& [length, rate] : series.points) {
    for (const auto& [other_length, other_rate] : other.points) {
      if (length == other_length) ratios.emplace_back(length, rate / other_rate);
    }
  }
  if (ratios.size() < 2) return "";
  size_t from = ratios.size();
  while (from > 0 && ratios[from - 1].second > 1.0) --from;
  const std::string range =
      fmt::format("{:.2f} times its speed at {} tokens, {:.2f} times at {}", ratios.front().second,
                  ratios.front().first, ratios.back().second, ratios.back().first);
  if (from == ratios.size())
    return fmt::format("{} is not faster than {} at {} tokens: {}", series.name, other.name,
                       ratios.back().first, range);
  if (from == 0)
    return fmt::format("{} is faster than {} at every length: {}", series.name, other.name, range);
  return fmt::format("{} overtakes {} between {} and {} tokens: {}", series.name, other.name,
                     ratios[from - 1].first, ratios[from].first, range);
}

}  // namespace

report::Table SweepReport::table() const {
  report::Table table;
  std::vector<const Axis*> shown;
  for (const Axis& axis : axes()) {
    const bool always = axis.name == "mechanism" || axis.name == "batch" || axis.name == "length";
    if (always || values_of(axis, measurements) > 1) shown.push_back(&axis);
  }
  for (const Axis* axis : shown) table.heads.push_back(axis->name);
  for (const char* head : {"tokens/s", "slow to fast", "step ms", "95 % ms", "sources ms", "peak MB",
                           "state KB", "of FMA peak", "of read bound"}) {
    table.heads.emplace_back(head);
  }
  for (const SweepMeasurement& one : measurements) {
    std::vector<std::string> cells;
    for (const Axis* axis : shown) cells.push_back(axis->text(one.at));
    if (one.result) {
      const GenerationResult& r = *one.result;
      cells.insert(
          cells.end(),
          {number(r.tokens_per_second),
           fmt::format("{} to {}", number(r.slow_tokens_per_second), number(r.fast_tokens_per_second)),
           number(1e3 * r.step_p50), number(1e3 * r.step_p95), number(1e3 * r.encoder_seconds),
           number(static_cast<double>(r.peak_resident_bytes) / 1e6),
           number(static_cast<double>(r.state_bytes) / 1e3),
           fmt::format("{:.0f} %", 100.0 * r.gflops / r.peak_gflops),
           fmt::format("{:.0f} %", 100.0 * r.read_fraction)});
    } else {
      cells.emplace_back("failed");
      cells.resize(table.heads.size());
    }
    table.rows.push_back(cells);
  }
  return table;
}

std::vector<report::Chart> SweepReport::charts() const {
  std::vector<report::Chart> charts;
  for (const Axis& across : axes()) {
    if (!across.number) continue;
    const Measurements drawn = drawn_over(across, measurements);
    std::set<double> values;
    for (const SweepMeasurement& one : drawn) values.insert(across.number(one.at));
    if (values.size() < 2) continue;
    for (const Quantity& quantity : quantities()) {
      const report::Chart chart = chart_of(quantity, across, drawn);
      const bool nothing = std::ranges::all_of(chart.series, [](const report::Series& series) {
        return std::ranges::all_of(series.points, [](const auto& point) { return point.second == 0.0; });
      });
      if (!nothing) charts.push_back(chart);
    }
  }
  return charts;
}

std::vector<std::string> SweepReport::crossovers() const {
  const Axis& length = axes().back();
  std::map<std::string, Measurements> groups;  // by everything but mechanism and length
  for (const SweepMeasurement& one : measurements) {
    if (!one.result) continue;
    const GenerationPoint& point = one.at.point;
    groups[fmt::format("{} {} {} {} {}", one.at.precision, point.threads, point.batch, point.beam,
                       point.shortlist)]
        .push_back(one);
  }
  std::vector<std::string> sentences;
  for (const auto& [key, group] : groups) {
    const report::Chart chart = chart_of(quantities().front(), length, group);
    const auto is_baseline = [](const report::Series& series) {
      return series.name.starts_with(baseline_mechanism().name());
    };
    const auto baseline = std::ranges::find_if(chart.series, is_baseline);
    if (baseline == chart.series.end()) continue;
    for (const report::Series& series : chart.series) {
      if (is_baseline(series)) continue;
      const std::string sentence = crossover(series, *baseline);
      if (sentence.empty()) continue;
      const GenerationPoint& point = group.front().at.point;
      sentences.push_back(groups.size() == 1 ? sentence + "."
                                             : fmt::format("{} ({}, {} threads, batch {}, beam {}).",
                                                           sentence, group.front().at.precision,
                                                           point.threads, point.batch, point.beam));
    }
  }
  return sentences;
}

std::string SweepReport::markdown() const {
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("- {}: {}\n", name, value);
  text += "\n" + table().markdown();
  const std::vector<std::string> sentences = crossovers();
  if (!sentences.empty()) text += "\n";
  for (const std::string& sentence : sentences) text += fmt::format("- {}\n", sentence);
  return text;
}

nlohmann::json SweepReport::json() const {
  nlohmann::json about = nlohmann::json::object();
  for (const auto& [name, value] : facts) about[name] = value;
  nlohmann::json points = nlohmann::json::array();
  for (const SweepMeasurement& one : measurements) points.push_back(point_json(one));
  return {{"about", about}, {"points", points}, {"crossovers", crossovers()}};
}

std::string SweepReport::html() const {
  std::string sentences;
  for (const std::string& sentence : crossovers())
    sentences += fmt::format("<li>{}</li>\n", report::escape_markup(sentence));
  if (!sentences.empty())
    sentences = fmt::format("<section>\n<h2>Against {}</h2>\n<ul>\n{}</ul>\n</section>\n",
                            baseline_mechanism().name(), sentences);
  return report::page(
      title, report::facts_section(facts) + report::charts_section(charts()) + sentences +
                 fmt::format("<section>\n<h2>All figures</h2>\n<div class=\"wide\">\n{}</div>\n</section>\n",
                             table().html()));
}

}  // namespace memsizer::bench
