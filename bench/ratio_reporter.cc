#include "ratio_reporter.h"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>
#include <vector>

namespace memsizer::bench {
namespace {

enum class Quantity { Time, TimePerToken, Memory };

struct Promise {
  std::string_view text;
  std::string numerator;
  std::string denominator;
  Quantity quantity;
  double tokens_ratio;  // of numerator's length to denominator's
  bool at_least;
  double bound;
};

const std::vector<Promise>& promises() {
  static const std::vector<Promise> list = {
      {"T 512, k 32: faster than the quadratic form", "quadratic-memsizer/T:512/k:32", "memsizer/T:512/k:32",
       Quantity::Time, 1, true, 20},
      {"T 512, k 32: faster than softmax", "softmax/T:512", "memsizer/T:512/k:32", Quantity::Time, 1, true,
       4},
      {"T 2048, k 128: faster than the quadratic form", "quadratic-memsizer/T:2048/k:128",
       "memsizer/T:2048/k:128", Quantity::Time, 1, true, 80},
      {"T 512: k 32 against k 4", "memsizer/T:512/k:32", "memsizer/T:512/k:4", Quantity::Time, 1, false, 1.5},
      {"k 32: time per token, T 4096 against T 512", "memsizer/T:4096/k:32", "memsizer/T:512/k:32",
       Quantity::TimePerToken, 8, false, 1.15},
      {"T 2048, k 32: peak memory against the quadratic form", "memsizer/T:2048/k:32",
       "quadratic-memsizer/T:2048/k:32", Quantity::Memory, 1, false, 0.2},
      {"k 32: peak memory per token, T 4096 against T 512", "memsizer/T:4096/k:32", "memsizer/T:512/k:32",
       Quantity::Memory, 8, false, 1.05},
  };
  return list;
}

// "causal/memsizer/T:512/k:32/min_time:0.1/repeats:12/real_time" -> "memsizer/T:512/k:32"
std::string short_name(const std::string& name) {
  std::string shorter;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '/');) {
    const bool setting = part == "causal" || part == "real_time" || part.starts_with("min_time:") ||
                         part.starts_with("repeats:") || part.starts_with("iterations:");
    if (!setting) shorter += (shorter.empty() ? "" : "/") + part;
  }
  return shorter;
}

}  // namespace

const RatioReporter::Result* RatioReporter::find(const std::string& name) const {
  const auto found = results_.find(name);
  return found == results_.end() ? nullptr : &found->second;
}

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  benchmark::ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    const bool best = run.run_type == Run::RT_Aggregate ? run.aggregate_name == "best" : run.repetitions <= 1;
    if (!best || run.error_occurred) continue;
    results_[short_name(run.run_name.str())] = {run.GetAdjustedRealTime(), run.counters.at("peak_MB")};
  }
}

void RatioReporter::Finalize() {
  benchmark::ConsoleReporter::Finalize();
  bool titled = false;
  for (const Promise& promise : promises()) {
    const Result* above = find(promise.numerator);
    const Result* below = find(promise.denominator);
    if (!above || !below) continue;
    if (!titled) fmt::print("\nRatios in this run (promised in brackets)\n");
    titled = true;
    double ratio = promise.quantity == Quantity::Memory ? above->peak_megabytes / below->peak_megabytes
                                                        : above->milliseconds / below->milliseconds;
    ratio /= promise.tokens_ratio;
    const bool kept = promise.at_least ? ratio >= promise.bound : ratio <= promise.bound;
    fmt::print("  {:<56} {:8.2f}x  [{} {:.2f}x]  {}\n", promise.text, ratio,
               promise.at_least ? "at least" : "at most", promise.bound, kept ? "kept" : "MISSED");
  }
  std::fflush(stdout);
}

}  // namespace memsizer::bench
