#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "metrics/chrf.h"

namespace memsizer::metrics {

// The n-grams of one order: how many the hypothesis and the reference have, and how many they share.
struct ChrfCounts {
  int64_t hypothesis = 0;
  int64_t reference = 0;
  int64_t matches = 0;
};

// What one segment adds to a corpus' chrF: the counts of each character order, then of each word order.
struct ChrfStatistics {
  std::vector<ChrfCounts> orders;

  ChrfStatistics& operator+=(const ChrfStatistics& other);
};

// Calls `visit` with the statistics of each line in turn, against the reference that scores best on that
// line.
void for_each_chrf_segment(std::span<const std::string> hypotheses,
                           std::span<const std::vector<std::string>> references, const ChrfOptions& options,
                           const std::function<void(const ChrfStatistics&)>& visit);

double chrf_score(const ChrfStatistics& statistics, double beta);

}  // namespace memsizer::metrics
