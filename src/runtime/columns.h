#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/work.h"

// How a state is cut into ranges of columns where there are fewer rows than members of the team.
namespace memsizer::runtime {

// Into how many: as many as make work for every member.
inline int64_t column_ranges(const Work& work, int64_t rows, int64_t dim) {
  constexpr int64_t kNarrowest = 64;
  if (rows >= work.team.size()) return 1;
  return std::clamp<int64_t>(dim / kNarrowest, 1, work.team.size());
}

// The columns of range `range`, cut at multiples of 16.
inline std::pair<int64_t, int64_t> columns_of(int64_t range, int64_t ranges, int64_t dim) {
  const auto cut = [&](int64_t i) { return i == ranges ? dim : dim * i / ranges / 16 * 16; };
  return {cut(range), cut(range + 1)};
}

}  // namespace memsizer::runtime
