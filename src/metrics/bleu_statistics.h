#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/ngrams.h"

namespace memsizer::metrics {

// What one segment adds to a corpus' BLEU; the sum over segments is all that the score needs.
struct BleuStatistics {
  std::array<int64_t, 4> matches{};
  std::array<int64_t, 4> totals{};
  int64_t hypothesis_length = 0;
  int64_t reference_length = 0;  // of the reference nearest in length, of two the shorter

  BleuStatistics& operator+=(const BleuStatistics& other);
};

// Compares one hypothesis with its references, all as tokens.
class SegmentMatcher {
 public:
  BleuStatistics compare(std::span<const std::string_view> hypothesis,
                         std::span<const std::span<const std::string_view>> references);

 private:
  WordIds ids_;
  NgramTable ngrams_{4};
};

// Calls `visit` with the statistics of each line in turn, tokenized as the options say.
void for_each_segment(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references, const BleuOptions& options,
                      const std::function<void(const BleuStatistics&)>& visit);

// The value of `floor` or `add-k` after its default; a negative or endless one is a UserError.
double smoothing_value(const BleuOptions& options);

BleuScore bleu_score(const BleuStatistics& statistics, const BleuOptions& options);

}  // namespace memsizer::metrics
