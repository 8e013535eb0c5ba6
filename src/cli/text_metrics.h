#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "metrics/metric.h"

namespace memsizer::cli {

using Lines = std::vector<std::string>;

// Adds --metric, a list of metrics of text; `otherwise` says what is taken if it is not given.
CLI::Option* add_metric_list(CLI::App& command, std::vector<metrics::Metric>& metrics,
                             const std::string& otherwise);

// Adds the options of the metrics to a command, but for those of ROUGE and of the bootstrap.
void add_metric_options(CLI::App& command, metrics::ScoreOptions& options);

// All lines of a file, plain or gzip; of standard input if the path is empty or "-".
Lines read_lines(const std::string& path);

}  // namespace memsizer::cli
