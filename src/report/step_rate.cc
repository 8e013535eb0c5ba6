#include "report/step_rate.h"

#include <algorithm>
#include <cmath>

namespace memsizer::report {
namespace {

// Long enough to bridge a validation, short enough to follow a change within minutes.
constexpr double kMemorySeconds = 60;

}  // namespace

void StepRate::advance(int64_t step, double seconds) {
  const double passed = std::max(0.0, seconds - seconds_);
  const double weight = std::exp(-passed / kMemorySeconds);
  recent_steps_ = recent_steps_ * weight + static_cast<double>(std::max<int64_t>(0, step - step_));
  recent_seconds_ = recent_seconds_ * weight + passed;
  step_ = step;
  seconds_ = seconds;
}

std::optional<double> StepRate::seconds_for(int64_t steps) const {
  if (recent_steps_ <= 0 || recent_seconds_ <= 0) return std::nullopt;
  return static_cast<double>(std::max<int64_t>(0, steps)) * recent_seconds_ / recent_steps_;
}

}  // namespace memsizer::report
