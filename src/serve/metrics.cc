#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace memsizer::serve {
namespace {

std::string label(const char* name, const std::string& value) {
  return fmt::format("{}=\"{}\"", name, value);
}

std::string with_label(const std::string& labels, const std::string& more) {
  return labels.empty() ? more : labels + "," + more;
}

void write_head(std::string& text, const std::string& name, const std::string& help, const char* type) {
  text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

}  // namespace

void Metrics::Histogram::observe(double value) {
  for (size_t i = 0; i < kBounds.size(); ++i) {
    if (value <= kBounds[i]) ++counts[i];
  }
  ++count;
  sum += value;
}

void Metrics::count_request(const std::string& route, int status, double seconds) {
  const std::scoped_lock lock(mutex_);
  ++requests_[label("route", route) + "," + label("status", std::to_string(status))];
  seconds_[label("route", route)].observe(seconds);
}

void Metrics::count_tokens(const std::string& model, int64_t read, int64_t generated) {
  const std::scoped_lock lock(mutex_);
  tokens_read_[label("model", model)] += read;
  tokens_generated_[label("model", model)] += generated;
}

void Metrics::observe_first_text(const std::string& model, double seconds) {
  const std::scoped_lock lock(mutex_);
  first_text_[label("model", model)].observe(seconds);
}

void Metrics::count_refused(const std::string& model) {
  const std::scoped_lock lock(mutex_);
  ++refused_[label("model", model)];
}

void Metrics::add_gauge(Gauge gauge) {
  const std::scoped_lock lock(mutex_);
  // Values of one name come together.
  const auto place = std::ranges::upper_bound(gauges_, gauge.name, {}, &Gauge::name);
  gauges_.insert(place, std::move(gauge));
}

void Metrics::write_counters(std::string& text, const std::string& name, const std::string& help,
                             const std::map<Labels, int64_t>& counters) {
  write_head(text, name, help, "counter");
  for (const auto& [labels, value] : counters) text += fmt::format("{}{{{}}} {}\n", name, labels, value);
}

void Metrics::write_histograms(std::string& text, const std::string& name, const std::string& help,
                               const std::map<Labels, Histogram>& histograms) {
  write_head(text, name, help, "histogram");
  for (const auto& [labels, histogram] : histograms) {
    for (size_t i = 0; i < kBounds.size(); ++i) {
      text += fmt::format("{}_bucket{{{}}} {}\n", name,
                          with_label(labels, fmt::format("le=\"{}\"", kBounds[i])), histogram.counts[i]);
    }
    text += fmt::format("{}_bucket{{{}}} {}\n", name, with_label(labels, "le=\"+Inf\""), histogram.count);
    text += fmt::format("{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", name, labels, histogram.sum,
                        histogram.count);
  }
}

std::string Metrics::text() const {
  const std::scoped_lock lock(mutex_);
  std::string text;
  write_counters(text, "memsizer_requests_total", "Answered requests.", requests_);
  write_counters(text, "memsizer_refused_total", "Requests refused because the queue was full.", refused_);
  write_counters(text, "memsizer_tokens_read_total", "Tokens of sources and prompts.", tokens_read_);
  write_counters(text, "memsizer_tokens_generated_total", "Tokens of outputs.", tokens_generated_);
  write_histograms(text, "memsizer_request_seconds", "Time from a request to the end of its answer.",
                   seconds_);
  write_histograms(text, "memsizer_first_text_seconds", "Time from a request to its first text.",
                   first_text_);
  std::string last;
  for (const Gauge& gauge : gauges_) {
    if (gauge.name != last) write_head(text, gauge.name, gauge.help, "gauge");
    last = gauge.name;
    const std::string labels = gauge.labels.empty() ? "" : "{" + gauge.labels + "}";
    text += fmt::format("{}{} {}\n", gauge.name, labels, gauge.value());
  }
  return text;
}

}  // namespace memsizer::serve
