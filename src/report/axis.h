#pragma once

#include <optional>
#include <string>
#include <vector>

namespace memsizer::report {

struct Range {
  double low = 0;
  double high = 0;
};

struct Tick {
  double position = 0;  // along the axis, 0 to 1
  std::string label;    // empty: a line of the grid only
};

// Where values lie along an axis of a chart, and its ticks: multiples of 1, 2 or 5 times a power of ten, or
// decades on a logarithmic axis.
class Axis {
 public:
  enum class Scale { Linear, Log };
  // Whether the ends are those of the data or have room to spare.
  enum class Ends { Tight, Roomy };

  // Whether an axis can show the value at all.
  static bool can_show(double value, Scale scale);

  // `data` holds values that can be shown; an axis without data goes from 0 to 1 (log: 1 to 10). About
  // `wanted_ticks` of them.
  Axis(std::optional<Range> data, Scale scale, Ends ends, int wanted_ticks);

  // Ticks at these values of the data instead; where they would crowd, every other one goes without a label.
  void mark(const std::vector<double>& values);

  double position(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void lay_out_linear(Range data, Ends ends, int wanted_ticks);
  void lay_out_log(Range data, Ends ends, int wanted_ticks);
  void add_linear_ticks(Range values, double step);
  void add_decades(int wanted_ticks);

  Scale scale_;
  Range range_;  // of values, or of their logarithms
  std::vector<Tick> ticks_;
};

// Labels of evenly spaced ticks, all in one unit: "0", "0.5k" or "2×10⁻⁵".
std::vector<std::string> tick_labels(const std::vector<double>& values, double step);

}  // namespace memsizer::report
