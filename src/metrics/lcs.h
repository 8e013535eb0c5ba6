#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace memsizer::metrics {

// Which of several longest common subsequences is read out, walking back from the ends of both sequences:
// what to leave out where leaving out either of the two last tokens keeps the length.
enum class LcsTie { LeaveReference, LeaveHypothesis };

int64_t lcs_length(std::span<const uint32_t> reference, std::span<const uint32_t> hypothesis);

// Sets marks[i] where reference[i] belongs to the longest common subsequence. Needs a bit for each pair of
// tokens: more than 2^33 pairs are a UserError.
void mark_lcs(std::span<const uint32_t> reference, std::span<const uint32_t> hypothesis, LcsTie tie,
              std::vector<bool>& marks);

}  // namespace memsizer::metrics
