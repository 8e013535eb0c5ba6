#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace memsizer::train {
namespace {

double warming_up(double from, double to, double n, double warmup) {
  return from + n * (to - from) / warmup;
}

double inverse_sqrt(const ScheduleOptions& s, double peak, double n) {
  const auto w = static_cast<double>(s.warmup);
  return n < w ? warming_up(s.initial_lr, peak, n, w) : peak * std::sqrt(w) / std::sqrt(n);
}

double cosine(const ScheduleOptions& s, double minimum, double n) {
  const auto w = static_cast<double>(s.warmup);
  if (n < w) return warming_up(s.initial_lr, s.max_lr, n, w);
  double t = n - w;
  double length = static_cast<double>(std::max<int64_t>(1, s.period));
  double shrunk = 1.0;
  // Bounded, since periods that shrink add up to a finite time.
  for (int period = 0; t >= length && period < 10000; ++period) {
    t -= length;
    length *= s.period_factor;
    shrunk *= s.shrink;
  }
  const double low = minimum * shrunk;
  const double high = s.max_lr * shrunk;
  return low + 0.5 * (high - low) * (1.0 + std::cos(std::numbers::pi * t / length));
}

double polynomial(const ScheduleOptions& s, double peak, double n) {
  const auto w = static_cast<double>(s.warmup);
  const auto total = static_cast<double>(s.total_updates);
  if (n < w) return warming_up(0.0, peak, n, w);
  if (n >= total) return s.end_lr;
  return (peak - s.end_lr) * std::pow(1.0 - (n - w) / (total - w), s.power) + s.end_lr;
}

}  // namespace

double learning_rate(const ScheduleOptions& schedule, const OptimizerOptions& optimizer, int64_t finished) {
  const auto n = static_cast<double>(finished);
  switch (schedule.kind) {
    case ScheduleKind::InverseSqrt:
      return inverse_sqrt(schedule, optimizer.lr, n);
    case ScheduleKind::Cosine:
      return cosine(schedule, optimizer.lr, n);
    case ScheduleKind::Polynomial:
      return polynomial(schedule, optimizer.lr, n);
    case ScheduleKind::Constant:
      break;
  }
  const auto w = static_cast<double>(schedule.warmup);
  return n < w ? warming_up(schedule.initial_lr, optimizer.lr, n, w) : optimizer.lr;
}

ScheduleOptions resolved(ScheduleOptions schedule, int64_t max_updates) {
  if (schedule.total_updates == 0) schedule.total_updates = max_updates;
  if (schedule.period == 0) schedule.period = std::max<int64_t>(1, max_updates - schedule.warmup);
  return schedule;
}

}  // namespace memsizer::train
