#include "report/metrics_log.h"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "core/atomic_file.h"
#include "core/error.h"

namespace memsizer::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Line {
  std::string text;
  json value;
};

// Nothing if the text is not an object with a step.
std::optional<json> parse_line(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  if (!value.is_object()) return std::nullopt;
  const auto step = value.find("step");
  if (step == value.end() || !step->is_number_integer()) return std::nullopt;
  return value;
}

std::vector<Line> read_lines(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (fs::is_directory(path) || !file) {
    throw UserError(
        "cannot read '{}': expected a readable file of metrics; check the path and its permissions",
        path.string());
  }
  std::vector<Line> lines;
  size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::optional<json> value = parse_line(text);
    if (value) {
      lines.push_back({std::move(text), std::move(*value)});
      continue;
    }
    // Only a killed writer leaves a line without an end, and only as the last one.
    if (file.eof()) break;
    throw UserError(
        "'{}': found line {} that is no metrics, expected a JSON object with a whole number as step; remove "
        "the "
        "line or give another file",
        path.string(), number);
  }
  if (file.bad()) throw UserError("cannot read '{}': reading failed; check the disk", path.string());
  return lines;
}

// Compares without converting, since a step beyond int64_t would turn negative.
bool is_after(const json& step, int64_t last_step) {
  if (!step.is_number_unsigned()) return step.get<int64_t>() > last_step;
  return last_step < 0 || step.get<uint64_t>() > static_cast<uint64_t>(last_step);
}

std::string lines_until(const fs::path& path, int64_t last_step) {
  std::string kept;
  if (last_step < 0 || !fs::exists(path)) return kept;
  for (const Line& line : read_lines(path)) {
    if (is_after(line.value.at("step"), last_step)) continue;
    kept += line.text;
    kept += '\n';
  }
  return kept;
}

}  // namespace

MetricsLog::MetricsLog(const fs::path& path, int64_t last_step) : path_(path) {
  const std::string kept = lines_until(path, last_step);
  AtomicFile replacement(path);
  replacement.write(kept);
  replacement.commit();
  file_.open(path, std::ios::binary | std::ios::app);
  if (!file_) {
    throw UserError(
        "cannot write '{}': expected a writable file; check its permissions or choose another place",
        path.string());
  }
}

void MetricsLog::write(int64_t step, const std::string& kind, const Scalars& values) {
  nlohmann::ordered_json line = {{"step", step}, {"kind", kind}};
  for (const auto& [name, value] : values) {
    if (name == "step" || name == "kind") throw std::logic_error("metrics log: a value is named " + name);
    line[name] = std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  }
  file_ << line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n' << std::flush;
  if (!file_) {
    throw UserError("cannot write '{}': writing failed; free some space or check the disk", path_.string());
  }
}

std::vector<json> MetricsLog::read(const fs::path& path) {
  std::vector<json> values;
  for (Line& line : read_lines(path)) values.push_back(std::move(line.value));
  return values;
}

}  // namespace memsizer::report
