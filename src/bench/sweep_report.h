#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/sweep.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/table.h"

namespace memsizer::bench {

// The measurements of a sweep, for reading and for programs.
struct SweepReport {
  std::string title;
  report::Facts facts;  // what was measured, on what
  std::vector<SweepMeasurement> measurements;

  // A column for each thing that varies, then the figures.
  report::Table table() const;
  // For each numeric thing that varies, speed and memory over it; a series for each combination of the rest.
  std::vector<report::Chart> charts() const;
  // From which length on a mechanism is faster than softmax, a sentence each.
  std::vector<std::string> crossovers() const;

  std::string markdown() const;
  nlohmann::json json() const;
  std::string html() const;
};

}  // namespace memsizer::bench
