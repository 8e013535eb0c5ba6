#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memsizer::metrics {

struct ChrfOptions {
  int64_t char_order = 6;
  int64_t word_order = 0;  // 2 is chrF++
  double beta = 2.0;
  bool lowercase = false;
};

// Corpus chrF as sacreBLEU computes it, 0 to 100. references[r][i] belongs to hypotheses[i].
double chrf(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
            const ChrfOptions& options = {});

}  // namespace memsizer::metrics
