#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>

namespace memsizer::bench {

// Prints the usual table and, at the end, the ratios that the project promises, for whichever pairs this run
// measured.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Result {
    double milliseconds;
    double peak_megabytes;
  };
  const Result* find(const std::string& name) const;

  std::map<std::string, Result> results_;
};

}  // namespace memsizer::bench
