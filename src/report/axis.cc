#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace memsizer::report {
namespace {

// Beyond these, differences and powers of ten leave the range of a double.
constexpr double kLargest = 1e300;
constexpr double kSmallest = 1e-300;
// Values closer to each other than this part of their size are one value: ticks between them would not
// differ.
constexpr double kResolution = 1e-12;
// Within these numbers are written out.
constexpr double kPlainFrom = 1e-3;
constexpr double kPlainBelow = 1e4;

struct Unit {
  double factor = 1;
  std::string suffix;
};

std::string superscript(int number) {
  static constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                               "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fmt::format("{}", number))
    text += c == '-' ? "⁻" : kDigits[static_cast<size_t>(c - '0')];
  return text;
}

// Prefixes of small units are left out: "5m" reads as anything but 0.005.
Unit unit_for(double size) {
  static constexpr std::array<std::string_view, 6> kPrefixes = {"k", "M", "G", "T", "P", "E"};
  if (size == 0 || (size >= kPlainFrom && size < kPlainBelow)) return {};
  const int exponent = static_cast<int>(std::floor(std::log10(size) + kResolution));
  const int thousands = exponent / 3;
  if (exponent > 0 && thousands <= static_cast<int>(kPrefixes.size())) {
    return {std::pow(10.0, 3 * thousands), std::string(kPrefixes[static_cast<size_t>(thousands) - 1])};
  }
  return {std::pow(10.0, exponent), fmt::format("×10{}", superscript(exponent))};
}

std::string signed_text(std::string number) {
  if (number.starts_with('-')) number.replace(0, 1, "−");
  return number;
}

// `digit` times ten to the `exponent`.
std::string decade_label(int digit, int exponent) {
  const double value = digit * std::pow(10.0, exponent);
  const Unit unit = unit_for(value);
  if (unit.suffix.starts_with("×")) {
    const std::string power = fmt::format("10{}", superscript(exponent));
    return digit == 1 ? power : fmt::format("{}×{}", digit, power);
  }
  return fmt::format("{:g}{}", value / unit.factor, unit.suffix);
}

// The smallest of 1, 2 or 5 times a power of ten that is at least `size`.
double nice_step(double size) {
  const double power = std::pow(10.0, std::floor(std::log10(size)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= size * (1 - kResolution)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<std::string> tick_labels(const std::vector<double>& values, double step) {
  constexpr int kMaxDecimals = 15;
  double size = 0;
  for (const double value : values) size = std::max(size, std::fabs(value));
  const Unit unit = unit_for(size);
  const int exponent = static_cast<int>(std::floor(std::log10(step / unit.factor) + kResolution));
  const int decimals = std::clamp(-exponent, 0, kMaxDecimals);
  std::vector<std::string> labels;
  labels.reserve(values.size());
  for (const double value : values) {
    const bool zero = std::fabs(value) < step / 2;
    labels.push_back(
        zero ? "0" : signed_text(fmt::format("{:.{}f}{}", value / unit.factor, decimals, unit.suffix)));
  }
  return labels;
}

bool Axis::can_show(double value, Scale scale) {
  if (scale == Scale::Log) return value >= kSmallest && value <= kLargest;
  return std::fabs(value) <= kLargest;
}

Axis::Axis(std::optional<Range> data, Scale scale, Ends ends, int wanted_ticks) : scale_(scale) {
  if (scale == Scale::Log) {
    lay_out_log(data.value_or(Range{1, 10}), ends, wanted_ticks);
  } else {
    lay_out_linear(data.value_or(Range{0, 1}), ends, wanted_ticks);
  }
}

double Axis::position(double value) const {
  const double place = scale_ == Scale::Log ? std::log10(value) : value;
  return (place - range_.low) / (range_.high - range_.low);
}

void Axis::mark(const std::vector<double>& values) {
  // Of the axis's length, what a label takes.
  constexpr double kLabelRoom = 0.07;
  ticks_.clear();
  double labelled = -1.0;
  for (const double value : values) {
    const double place = position(value);
    const bool room = place - labelled >= kLabelRoom;
    if (room) labelled = place;
    ticks_.push_back({std::clamp(place, 0.0, 1.0), room ? fmt::format("{:g}", value) : std::string()});
  }
}

void Axis::lay_out_linear(Range data, Ends ends, int wanted_ticks) {
  const double size = std::max(std::fabs(data.low), std::fabs(data.high));
  if (size < kSmallest) {
    data = {-1, 1};
  } else if (data.high - data.low <= size * kResolution) {
    data = {data.low - size / 10, data.high + size / 10};
  } else if (data.low > 0 && data.low < data.high / 10) {
    data.low = 0;
  }
  const double step = nice_step((data.high - data.low) / wanted_ticks);
  if (ends == Ends::Roomy) {
    data.low = std::floor(data.low / step + kResolution) * step;
    data.high = std::ceil(data.high / step - kResolution) * step;
  }
  range_ = data;
  add_linear_ticks(data, step);
}

void Axis::lay_out_log(Range data, Ends ends, int wanted_ticks) {
  range_ = {std::log10(data.low), std::log10(data.high)};
  if (range_.high - range_.low < kResolution) range_ = {range_.low - 0.5, range_.high + 0.5};
  if (ends == Ends::Roomy) {
    const double room = 0.04 * (range_.high - range_.low);
    range_ = {range_.low - room, range_.high + room};
  }
  add_decades(wanted_ticks);
  const auto labelled =
      std::count_if(ticks_.begin(), ticks_.end(), [](const Tick& t) { return !t.label.empty(); });
  if (labelled >= 2) return;
  // Less than a decade with hardly a round number in it.
  const Range values = {std::pow(10.0, range_.low), std::pow(10.0, range_.high)};
  ticks_.clear();
  add_linear_ticks(values, nice_step((values.high - values.low) / wanted_ticks));
}

void Axis::add_linear_ticks(Range values, double step) {
  const double first = std::ceil(values.low / step - 1e-9);
  const double last = std::floor(values.high / step + 1e-9);
  std::vector<double> places;
  for (double i = 0; i <= last - first; ++i) places.push_back((first + i) * step);
  const std::vector<std::string> labels = tick_labels(places, step);
  for (size_t i = 0; i < places.size(); ++i) {
    ticks_.push_back({std::clamp(position(places[i]), 0.0, 1.0), labels[i]});
  }
}

void Axis::add_decades(int wanted_ticks) {
  const double decades = range_.high - range_.low;
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / (wanted_ticks + 2))));
  const bool label_within = decades < 2;
  const bool grid_within = decades <= 5;
  for (int exponent = static_cast<int>(std::floor(range_.low)); exponent <= range_.high; ++exponent) {
    for (int digit = 1; digit < (grid_within ? 10 : 2); ++digit) {
      const double place = exponent + std::log10(digit);
      if (place < range_.low - 1e-9 || place > range_.high + 1e-9) continue;
      const bool labelled = digit == 1 ? exponent % stride == 0 : label_within && (digit == 2 || digit == 5);
      ticks_.push_back({std::clamp((place - range_.low) / decades, 0.0, 1.0),
                        labelled ? decade_label(digit, exponent) : std::string()});
    }
  }
}

}  // namespace memsizer::report
