#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "metrics/bleu_statistics.h"
#include "metrics/chrf_statistics.h"

namespace memsizer::metrics {
namespace {

constexpr int64_t kMaxSamples = 1'000'000;

// One system: the statistics of each line and the score of a sum of them.
template <typename Statistics>
struct System {
  std::vector<Statistics> lines;
  std::function<double(const Statistics&)> score_of;

  template <typename Lines>
  double score(const Lines& chosen) const {
    Statistics sum{};
    for (const size_t line : chosen) sum += lines[line];
    return score_of(sum);
  }
};

BootstrapEstimate estimate(double score, std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t tail = samples.size() / 40;
  return {.score = score,
          .mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size()),
          .low = samples[tail],
          .high = samples[samples.size() - tail - 1]};
}

// How often the differences, moved to a mean of zero, exceed the one observed.
double p_value(std::span<const double> baseline, std::span<const double> system, double observed) {
  std::vector<double> differences(baseline.size());
  for (size_t i = 0; i < differences.size(); ++i) differences[i] = std::abs(system[i] - baseline[i]);
  const auto count = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  const auto above = std::count_if(differences.begin(), differences.end(),
                                   [&](double difference) { return difference - mean > observed; });
  return (static_cast<double>(above) + 1.0) / (count + 1.0);
}

template <typename Statistics>
PairedBootstrap paired_bootstrap(const System<Statistics>& baseline, const System<Statistics>& system,
                                 const BootstrapOptions& options) {
  std::vector<size_t> chosen(baseline.lines.size());
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  const double baseline_score = baseline.score(chosen);
  const double system_score = system.score(chosen);
  Random random = Random::of(options.seed);
  std::vector<double> baseline_samples;
  std::vector<double> system_samples;
  for (int64_t sample = 0; sample < options.samples; ++sample) {
    for (size_t& line : chosen) line = random.below(baseline.lines.size());
    baseline_samples.push_back(baseline.score(chosen));
    system_samples.push_back(system.score(chosen));
  }
  return {.baseline = estimate(baseline_score, baseline_samples),
          .system = estimate(system_score, system_samples),
          .p_value = p_value(baseline_samples, system_samples, std::abs(system_score - baseline_score))};
}

void check_options(const BootstrapOptions& options) {
  if (options.samples < 1 || options.samples > kMaxSamples) {
    throw UserError("found {} bootstrap samples; choose from 1 to {}", options.samples, kMaxSamples);
  }
}

}  // namespace

PairedBootstrap paired_bootstrap_bleu(std::span<const std::string> baseline,
                                      std::span<const std::string> system,
                                      std::span<const std::vector<std::string>> references,
                                      const BleuOptions& bleu_options, const BootstrapOptions& options) {
  check_options(options);
  const auto read = [&](std::span<const std::string> hypotheses) {
    System<BleuStatistics> result;
    for_each_segment(hypotheses, references, bleu_options,
                     [&](const BleuStatistics& line) { result.lines.push_back(line); });
    result.score_of = [&](const BleuStatistics& sum) { return bleu_score(sum, bleu_options).score; };
    return result;
  };
  return paired_bootstrap(read(baseline), read(system), options);
}

PairedBootstrap paired_bootstrap_chrf(std::span<const std::string> baseline,
                                      std::span<const std::string> system,
                                      std::span<const std::vector<std::string>> references,
                                      const ChrfOptions& chrf_options, const BootstrapOptions& options) {
  check_options(options);
  const auto read = [&](std::span<const std::string> hypotheses) {
    System<ChrfStatistics> result;
    for_each_chrf_segment(hypotheses, references, chrf_options,
                          [&](const ChrfStatistics& line) { result.lines.push_back(line); });
    result.score_of = [&](const ChrfStatistics& sum) { return chrf_score(sum, chrf_options.beta); };
    return result;
  };
  return paired_bootstrap(read(baseline), read(system), options);
}

}  // namespace memsizer::metrics
