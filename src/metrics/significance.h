#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace memsizer::metrics {

struct BootstrapOptions {
  int64_t samples = 1000;  // 1 to 1000000
  uint64_t seed = 12345;
};

struct BootstrapEstimate {
  double score = 0.0;  // of the corpus as it is
  double mean = 0.0;   // over the samples
  double low = 0.0;    // 95 % of the samples lie from low to high
  double high = 0.0;
};

struct PairedBootstrap {
  BootstrapEstimate baseline;
  BootstrapEstimate system;
  double p_value = 1.0;  // that a difference as large as theirs is chance
};

// Paired bootstrap resampling (Koehn 2004) as sacreBLEU does it: the same lines are drawn with replacement
// for both systems. The drawing is our own, so p-values differ from sacreBLEU's by what another seed would
// change.
PairedBootstrap paired_bootstrap_bleu(std::span<const std::string> baseline,
                                      std::span<const std::string> system,
                                      std::span<const std::vector<std::string>> references,
                                      const BleuOptions& bleu_options = {},
                                      const BootstrapOptions& options = {});
PairedBootstrap paired_bootstrap_chrf(std::span<const std::string> baseline,
                                      std::span<const std::string> system,
                                      std::span<const std::vector<std::string>> references,
                                      const ChrfOptions& chrf_options = {},
                                      const BootstrapOptions& options = {});

}  // namespace memsizer::metrics
