#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace memsizer::report {

using Scalars = std::vector<std::pair<std::string, double>>;

// metrics.jsonl: one JSON object a line, {"step": n, "kind": "train", ...}. A resumed run cuts off what was
// logged after the step it resumes from, so that a file holds each step once.
class MetricsLog {
 public:
  // Keeps the lines up to `last_step` (a torn last line too is dropped); -1 starts an empty file.
  MetricsLog(const std::filesystem::path& path, int64_t last_step);

  // Not-a-number and infinite values are written as null.
  void write(int64_t step, const std::string& kind, const Scalars& values);

  // What the file holds, for the report.
  static std::vector<nlohmann::json> read(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace memsizer::report
