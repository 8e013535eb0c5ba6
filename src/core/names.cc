#include "core/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace memsizer {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  // The distance is quadratic, and nobody mistypes a name this long.
  constexpr size_t kLongestName = 200;
  if (name.size() > kLongestName) return "";
  const std::string* best = nullptr;
  size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const size_t distance = edit_distance(name, candidate);
    if (!best || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (!best || best_distance > std::max<size_t>(2, best->size() / 3)) return "";
  return *best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string near = nearest_name(name, candidates);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

}  // namespace memsizer
