#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/generation_bench.h"
#include "report/chart.h"
#include "report/metrics_log.h"
#include "report/page.h"
#include "report/table.h"
#include "train/comparison.h"

namespace memsizer::train {

// What the runs of one variant came to; a number for each seed that is trained.
struct ComparisonRow {
  Variant variant;
  ModelConfig config;
  std::map<std::string, std::vector<double>> scores;  // of the test set, by name: "bleu", "perplexity", ...
  std::vector<double> minutes;
  int64_t updates = 0;
  int64_t parameters = 0;
  size_t seeds = 0;  // asked for
  std::optional<bench::GenerationResult> speed;
};

// The paper's table: quality, speed, memory and size of each variant.
struct ComparisonReport {
  std::string title;
  report::Facts facts;
  Task task = Task::Translation;
  std::vector<ComparisonRow> rows;
  std::vector<std::pair<std::string, report::Scalars>> baselines;  // scores without a model, such as Lead-3
  std::vector<report::Series> curves;                              // validation loss over updates

  report::Table table() const;
  std::vector<report::Chart> charts() const;
  std::string markdown() const;
  nlohmann::json json() const;
  std::string html() const;
};

// Reads what the finished runs left.
ComparisonReport read_comparison(const std::vector<ComparisonRun>& runs);

// "34.95", or of several "34.95 ± 0.21" with their standard deviation.
std::string mean_text(const std::vector<double>& values, int decimals);

}  // namespace memsizer::train
