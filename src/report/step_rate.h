#pragma once

#include <cstdint>
#include <optional>

namespace memsizer::report {

// How fast steps have gone lately, for the time left. Older work counts less and less, so that a slow start
// is soon forgotten and a short pause for validation barely shows.
class StepRate {
 public:
  // `step` is where this run starts: what was done before it says nothing about its speed.
  explicit StepRate(int64_t step) : step_(step) {}

  // `seconds` since the start of this run.
  void advance(int64_t step, double seconds);

  // Nothing before the first step is done.
  std::optional<double> seconds_for(int64_t steps) const;

 private:
  int64_t step_;
  double seconds_ = 0;
  double recent_steps_ = 0;    // weighted
  double recent_seconds_ = 0;  // weighted alike
};

}  // namespace memsizer::report
