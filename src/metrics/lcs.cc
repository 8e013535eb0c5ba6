#include "metrics/lcs.h"

#include <algorithm>

#include "core/error.h"

namespace memsizer::metrics {
namespace {

constexpr uint64_t kMaxPairs = uint64_t{1} << 33;

// Goes on from the lengths for a prefix of the reference to those for one token more: row[j] belongs to the
// first j tokens of the hypothesis. Calls `visit(j, above, left)` where token j does not match.
template <typename Visit>
void next_row(uint32_t token, std::span<const uint32_t> hypothesis, std::vector<uint32_t>& row,
              const Visit& visit) {
  uint32_t diagonal = 0;
  for (size_t j = 0; j < hypothesis.size(); ++j) {
    const uint32_t above = row[j + 1];
    if (hypothesis[j] == token) {
      row[j + 1] = diagonal + 1;
    } else {
      visit(j, above, row[j]);
      row[j + 1] = std::max(above, row[j]);
    }
    diagonal = above;
  }
}

}  // namespace

int64_t lcs_length(std::span<const uint32_t> reference, std::span<const uint32_t> hypothesis) {
  std::vector<uint32_t> row(hypothesis.size() + 1);
  for (const uint32_t token : reference) next_row(token, hypothesis, row, [](size_t, uint32_t, uint32_t) {});
  return row.back();
}

void mark_lcs(std::span<const uint32_t> reference, std::span<const uint32_t> hypothesis, LcsTie tie,
              std::vector<bool>& marks) {
  if (reference.empty() || hypothesis.empty()) return;
  const size_t width = hypothesis.size();
  if (reference.size() > kMaxPairs / width) {
    throw UserError(
        "found a hypothesis line of {} words against a reference line of {}, too long for summary-level "
        "ROUGE-L; "
        "put one sentence on a line",
        width, reference.size());
  }
  std::vector<uint32_t> row(width + 1);
  std::vector<bool> leave_hypothesis(reference.size() * width);
  for (size_t i = 0; i < reference.size(); ++i) {
    next_row(reference[i], hypothesis, row, [&](size_t j, uint32_t above, uint32_t left) {
      leave_hypothesis[i * width + j] = tie == LcsTie::LeaveReference ? left > above : left >= above;
    });
  }
  size_t i = reference.size();
  size_t j = width;
  while (i > 0 && j > 0) {
    if (reference[i - 1] == hypothesis[j - 1]) {
      marks[--i] = true;
      --j;
    } else if (leave_hypothesis[(i - 1) * width + (j - 1)]) {
      --j;
    } else {
      --i;
    }
  }
}

}  // namespace memsizer::metrics
