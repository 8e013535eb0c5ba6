#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include "report/axis.h"
#include "report/shown_text.h"

namespace memsizer::report {
namespace {

// In the units of the view box, which are pixels where the chart is shown in its own size.
constexpr double kWidth = 560;
constexpr double kPlotTop = 40;
constexpr double kPlotHeight = 230;
constexpr double kRightMargin = 18;
constexpr double kEdge = 8;
constexpr double kColumnWidth = 6.7;  // of a character, on average, rounded up
constexpr double kLegendRow = 18;
constexpr double kLegendSample = 30;
constexpr size_t kTitleColumns = 68;
constexpr size_t kLabelColumns = 60;
constexpr size_t kNameColumns = 40;
constexpr double kStroke = 1.7;
constexpr double kThinStroke = 1.3;  // keeps a dense, noisy line from turning into a band
constexpr int kTicksAcross = 6;
constexpr int kTicksUp = 5;
// Up to so many points each one has its marker; denser lines have markers so far apart.
constexpr size_t kMarkedPoints = 30;
constexpr double kMarkerDistance = 72;

// After Okabe and Ito, darkened where a thin line on white asks for it. training_report's page replaces them
// by lighter ones on a dark screen, through the class.
constexpr std::array<std::string_view, 6> kColours = {"#0072b2", "#d55e00", "#008a64",
                                                      "#a9488a", "#a06c00", "#5b6770"};

struct Point {
  double x = 0;
  double y = 0;
};
using Line = std::vector<Point>;

// Without colour, lines are told apart by these. Series beyond the sixth repeat the colours with other
// shapes.
std::string marker_path(size_t shape, Point at) {
  switch (shape % 6) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", at.x, at.y);
    case 1:
      return fmt::format("M{:.1f} {:.1f}m-2.8 -2.8h5.6v5.6h-5.6z", at.x, at.y);
    case 2:
      return fmt::format("M{:.1f} {:.1f}m0 -3.8l3.6 6.2h-7.2z", at.x, at.y);
    case 3:
      return fmt::format("M{:.1f} {:.1f}m0 -4l4 4l-4 4l-4 -4z", at.x, at.y);
    case 4:
      return fmt::format("M{:.1f} {:.1f}m0 3.8l3.6 -6.2h-7.2z", at.x, at.y);
    default:
      return fmt::format("M{:.1f} {:.1f}m-1.1 -3.6h2.2v2.5h2.5v2.2h-2.5v2.5h-2.2v-2.5h-2.5v-2.2h2.5z", at.x,
                         at.y);
  }
}

// Text that is cut where it does not fit keeps its whole self as a tooltip.
std::string text_element(std::string_view attributes, const std::string& text, size_t columns) {
  const std::string line = clean_line(text);
  const std::string shown = cut_to_columns(line, columns);
  const std::string whole =
      shown == line ? std::string() : fmt::format("<title>{}</title>", escape_markup(line));
  return fmt::format("<text {}>{}{}</text>\n", attributes, escape_markup(shown), whole);
}

// Several points in one column of pixels look like a vertical stroke: its ends, where the line comes in and
// where it leaves are enough to draw the same.
Line thinned(const Line& line) {
  Line kept;
  for (size_t begin = 0; begin < line.size();) {
    size_t end = begin;
    size_t lowest = begin;
    size_t highest = begin;
    for (; end < line.size() && std::floor(line[end].x) == std::floor(line[begin].x); ++end) {
      if (line[end].y < line[lowest].y) lowest = end;
      if (line[end].y > line[highest].y) highest = end;
    }
    std::array<size_t, 4> chosen = {begin, lowest, highest, end - 1};
    std::sort(chosen.begin(), chosen.end());
    const auto* const last = std::unique(chosen.begin(), chosen.end());
    for (const size_t* index = chosen.begin(); index != last; ++index) kept.push_back(line[*index]);
    begin = end;
  }
  return kept;
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart);

  std::string svg();

 private:
  bool can_show(const std::pair<double, double>& point) const;
  std::optional<Range> range_of(double std::pair<double, double>::*coordinate) const;
  double left_margin() const;
  Point place(const std::pair<double, double>& point) const;
  std::vector<Line> lines_of(const Series& series) const;

  void draw_grid();
  void draw_labels();
  void draw_series(size_t index);
  void draw_markers(size_t index, const std::vector<Line>& lines);
  void add_marker(size_t index, Point at);
  void draw_legend();

  const Chart& chart_;
  Axis::Scale x_scale_;
  Axis::Scale y_scale_;
  bool empty_;
  Axis x_axis_;
  Axis y_axis_;
  double plot_left_;
  double plot_right_ = kWidth - kRightMargin;
  double plot_bottom_ = kPlotTop + kPlotHeight;
  double height_ = plot_bottom_ + 48;
  std::string body_;
};

Drawing::Drawing(const Chart& chart)
    : chart_(chart),
      x_scale_(chart.log_x ? Axis::Scale::Log : Axis::Scale::Linear),
      y_scale_(chart.log_y ? Axis::Scale::Log : Axis::Scale::Linear),
      empty_(!range_of(&std::pair<double, double>::first)),
      x_axis_(range_of(&std::pair<double, double>::first), x_scale_, Axis::Ends::Tight, kTicksAcross),
      y_axis_(range_of(&std::pair<double, double>::second), y_scale_, Axis::Ends::Roomy, kTicksUp),
      plot_left_(left_margin()) {
  if (!chart.x_ticks.empty() && !empty_) x_axis_.mark(chart.x_ticks);
}

std::string Drawing::svg() {
  draw_grid();
  draw_labels();
  for (size_t i = 0; i < chart_.series.size(); ++i) draw_series(i);
  draw_legend();
  const std::string title = escape_markup(clean_line(chart_.title));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"{}\" "
      "font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\" font-size=\"12\">\n{}</svg>\n",
      kWidth, height_, title, body_);
}

bool Drawing::can_show(const std::pair<double, double>& point) const {
  return Axis::can_show(point.first, x_scale_) && Axis::can_show(point.second, y_scale_);
}

std::optional<Range> Drawing::range_of(double std::pair<double, double>::*coordinate) const {
  std::optional<Range> range;
  for (const Series& series : chart_.series) {
    for (const std::pair<double, double>& point : series.points) {
      if (!can_show(point)) continue;
      const double value = point.*coordinate;
      if (!range) range = Range{value, value};
      range->low = std::min(range->low, value);
      range->high = std::max(range->high, value);
    }
  }
  if (range && chart_.from_zero && !chart_.log_y && coordinate == &std::pair<double, double>::second)
    range = Range{std::min(range->low, 0.0), std::max(range->high, 0.0)};
  return range;
}

double Drawing::left_margin() const {
  size_t columns = 0;
  for (const Tick& tick : y_axis_.ticks()) columns = std::max(columns, text_columns(tick.label));
  return kEdge + 30 + kColumnWidth * static_cast<double>(columns);
}

Point Drawing::place(const std::pair<double, double>& point) const {
  return {plot_left_ + x_axis_.position(point.first) * (plot_right_ - plot_left_),
          plot_bottom_ - y_axis_.position(point.second) * kPlotHeight};
}

// A point that cannot be shown interrupts the line.
std::vector<Line> Drawing::lines_of(const Series& series) const {
  std::vector<Line> lines(1);
  for (const std::pair<double, double>& point : series.points) {
    if (can_show(point)) {
      lines.back().push_back(place(point));
    } else if (!lines.back().empty()) {
      lines.emplace_back();
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

void Drawing::draw_grid() {
  std::string grid;
  std::string fine_grid;
  std::string labels;
  for (const Tick& tick : x_axis_.ticks()) {
    const double x = plot_left_ + tick.position * (plot_right_ - plot_left_);
    (tick.label.empty() ? fine_grid : grid) +=
        fmt::format("M{:.1f} {:.1f}V{:.1f}", x, kPlotTop, plot_bottom_);
    if (empty_ || tick.label.empty()) continue;
    labels += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x,
                          plot_bottom_ + 17, tick.label);
  }
  for (const Tick& tick : y_axis_.ticks()) {
    const double y = plot_bottom_ - tick.position * kPlotHeight;
    (tick.label.empty() ? fine_grid : grid) +=
        fmt::format("M{:.1f} {:.1f}H{:.1f}", plot_left_, y, plot_right_);
    if (empty_ || tick.label.empty()) continue;
    labels += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", plot_left_ - 7,
                          y + 4, tick.label);
  }
  if (!fine_grid.empty()) {
    body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.06\"/>\n",
                         fine_grid);
  }
  body_ += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.13\"/>\n"
      "<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"currentColor\" "
      "stroke-opacity=\"0.6\"/>\n"
      "<g fill=\"currentColor\" fill-opacity=\"0.85\">\n{}</g>\n",
      grid, plot_left_, kPlotTop, plot_bottom_, plot_right_, labels);
}

void Drawing::draw_labels() {
  const double middle_x = (plot_left_ + plot_right_) / 2;
  const double middle_y = kPlotTop + kPlotHeight / 2;
  body_ += text_element(
      fmt::format("x=\"{:.1f}\" y=\"22\" font-size=\"14\" font-weight=\"600\" fill=\"currentColor\"", kEdge),
      chart_.title, kTitleColumns);
  body_ += text_element(fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"currentColor\"",
                                    middle_x, plot_bottom_ + 36),
                        chart_.x_label, kLabelColumns);
  body_ += text_element(
      fmt::format(
          "transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\" fill=\"currentColor\"",
          kEdge + 10, middle_y),
      chart_.y_label, kLabelColumns / 2);
  if (empty_) {
    body_ +=
        text_element(fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"currentColor\" "
                                 "fill-opacity=\"0.7\"",
                                 middle_x, middle_y),
                     "no data", kLabelColumns);
  }
}

void Drawing::draw_series(size_t index) {
  const std::vector<Line> lines = lines_of(chart_.series[index]);
  if (lines.empty()) return;
  const size_t colour = index % kColours.size();
  std::string path;
  size_t points = 0;
  for (const Line& line : lines) {
    points += line.size();
    char command = 'M';
    for (const Point& point : thinned(line)) {
      path += fmt::format("{}{:.1f} {:.1f}", command, point.x, point.y);
      command = 'L';
    }
    // With round caps, a line of no length is a dot.
    if (line.size() == 1) path += "h0";
  }
  body_ += fmt::format(
      "<path class=\"line-{}\" d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
      "stroke-linejoin=\"round\" "
      "stroke-linecap=\"round\"/>\n",
      colour, path, kColours[colour], static_cast<double>(points) > kWidth ? kThinStroke : kStroke);
  draw_markers(index, lines);
}

void Drawing::draw_markers(size_t index, const std::vector<Line>& lines) {
  size_t points = 0;
  for (const Line& line : lines) points += line.size();
  const bool all = points <= kMarkedPoints;
  if (!all && chart_.series.size() == 1) return;
  // Series that run close together have their markers at different places.
  double next = plot_left_ + kMarkerDistance * (static_cast<double>(index) + 0.5) /
                                 static_cast<double>(chart_.series.size());
  for (const Line& line : lines) {
    for (const Point& point : line) {
      if (!all && point.x < next) continue;
      add_marker(index, point);
      while (next <= point.x) next += kMarkerDistance;
    }
  }
}

void Drawing::add_marker(size_t index, Point at) {
  const size_t colour = index % kColours.size();
  body_ += fmt::format("<path class=\"mark-{}\" d=\"{}\" fill=\"{}\"/>\n", colour,
                       marker_path(index + index / kColours.size(), at), kColours[colour]);
}

void Drawing::draw_legend() {
  if (chart_.series.empty()) return;
  double x = plot_left_;
  double y = height_ + 8;
  for (size_t i = 0; i < chart_.series.size(); ++i) {
    const Series& series = chart_.series[i];
    const bool missing = lines_of(series).empty();
    const std::string name = missing ? fmt::format("{} (no data)", series.name) : series.name;
    const size_t columns = std::min(text_columns(clean_line(name)), kNameColumns);
    const double entry_width = kLegendSample + kColumnWidth * static_cast<double>(columns) + 16;
    if (x > plot_left_ && x + entry_width > kWidth) {
      x = plot_left_;
      y += kLegendRow;
    }
    const size_t colour = i % kColours.size();
    body_ += fmt::format(
        "<path class=\"line-{}\" d=\"M{:.1f} {:.1f}h22\" fill=\"none\" stroke=\"{}\" "
        "stroke-width=\"1.7\"/>\n",
        colour, x, y - 4, kColours[colour]);
    add_marker(i, {x + 11, y - 4});
    body_ +=
        text_element(fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" fill=\"currentColor\"", x + kLegendSample, y),
                     name, kNameColumns);
    x += entry_width;
  }
  height_ = y + 10;
}

}  // namespace

std::string Chart::svg() const {
  return Drawing(*this).svg();
}

}  // namespace memsizer::report
