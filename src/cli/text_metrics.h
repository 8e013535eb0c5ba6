#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace memsizer::cli {

using Lines = std::vector<std::string>;

// How text is scored, as the command line says it.
struct MetricOptions {
  std::string tokenizer = "13a";
  std::string smoothing = "exp";
  double smoothing_value = 0.0;
  bool lowercase = false;
  bool stemmer = false;
  int64_t samples = 1000;  // of the paired bootstrap
  int64_t seed = 12345;
};

// What is scored, and against what.
struct ScoredTexts {
  Lines hypotheses;
  std::vector<Lines> references;
  Lines baseline;  // empty unless another system is to be compared
};

// A metric's lines for people, its numbers by name, and its object for programs.
struct Scored {
  std::string line;
  std::vector<std::pair<std::string, double>> values;
  nlohmann::json json;
};

// Adds the options of the metrics to a command, but for those of the bootstrap.
void add_metric_options(CLI::App& command, MetricOptions& options);

// Throws UserError on a metric, tokenizer or smoothing that is not known, before any text is read.
void check_metrics(const std::vector<std::string>& metrics, const MetricOptions& options);

Scored score_text(const std::string& metric, const MetricOptions& options, const ScoredTexts& texts);

// All lines of a file, plain or gzip; of standard input if the path is empty.
Lines read_lines(const std::string& path);

}  // namespace memsizer::cli
