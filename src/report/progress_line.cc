#include "report/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/shown_text.h"

namespace memsizer::report {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kShortestBar = 12;
constexpr size_t kLongestBar = 32;
constexpr size_t kShortestDetail = 12;

double done_part(const ProgressState& state) {
  if (state.total <= 0) return 0;
  return std::clamp(static_cast<double>(state.step) / static_cast<double>(state.total), 0.0, 1.0);
}

// Rounded down, so that 100 % is said only when all is done.
std::string percent_text(const ProgressState& state) {
  return state.total > 0 ? fmt::format("{}%", static_cast<int>(std::floor(done_part(state) * 100))) : "";
}

std::string count_text(const ProgressState& state) {
  return state.total > 0 ? fmt::format("{}/{}", state.step, state.total) : fmt::format("{}", state.step);
}

std::string bar_text(double part, size_t columns) {
  const size_t inside = columns - 2;
  const auto filled = static_cast<size_t>(part * static_cast<double>(inside));
  std::string bar(filled, '=');
  if (filled < inside) bar += '>';
  bar.resize(inside, ' ');
  return fmt::format("[{}]", bar);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!line.empty()) line.append(kGap, ' ');
    line += part;
  }
  return line;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::clamp(std::round(seconds), 0.0, 1e12));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string plain_line(const ProgressState& state) {
  return fmt::format("{}: {}", clean_line(state.title),
                     joined({percent_text(state), count_text(state), clean_line(state.detail), state.time}));
}

std::string bar_line(const ProgressState& state, size_t columns) {
  const std::string title = clean_line(state.title);
  const std::string percent = percent_text(state);
  const std::string count = count_text(state);
  const std::string core = joined({title, percent, count, state.time});
  const size_t core_columns = text_columns(core);
  if (core_columns >= columns) return cut_to_columns(core, columns);
  size_t room = columns - core_columns;

  std::string detail = clean_line(state.detail);
  const size_t bar_room = state.total > 0 ? kShortestBar + kGap : 0;
  const size_t wanted = std::min(text_columns(detail), kShortestDetail);
  const bool both_fit = room >= bar_room + kGap + wanted;
  const size_t detail_room = room - (both_fit ? bar_room : 0);
  detail = detail_room > kGap ? cut_to_columns(detail, detail_room - kGap) : "";
  if (!detail.empty()) room -= text_columns(detail) + kGap;

  std::string bar;
  if (state.total > 0 && room >= kShortestBar + kGap) {
    bar = bar_text(done_part(state), std::min(room - kGap, kLongestBar));
  }
  return joined({title, bar, percent, count, detail, state.time});
}

}  // namespace memsizer::report
