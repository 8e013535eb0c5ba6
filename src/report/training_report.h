#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/page.h"

namespace memsizer::report {

struct SampleOutput {
  std::string source;
  std::string reference;
  std::string output;
};

struct TrainingReport {
  std::string title;
  Facts summary;
  std::vector<Chart> charts;
  std::vector<SampleOutput> samples;
  std::string recipe;  // the resolved recipe, as text
};

// Writes one self-contained page (no script, no link to elsewhere), atomically.
void write_training_report(const std::filesystem::path& path, const TrainingReport& report);

}  // namespace memsizer::report
