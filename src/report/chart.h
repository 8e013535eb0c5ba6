#pragma once

#include <string>
#include <utility>
#include <vector>

namespace memsizer::report {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x ascending
};

// A line chart as a self-contained SVG element: axes with units, ticks, grid, legend.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
  bool from_zero = false;         // a linear y axis shows zero, so that heights compare
  std::vector<double> x_ticks{};  // where the x axis is marked; empty: at round numbers

  std::string svg() const;
};

}  // namespace memsizer::report
