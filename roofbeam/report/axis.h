// SPDX-License-Identifier: Apache-2.0
// The axes of a chart, alike on terminal and page: what range holds the points, and which values
// are written beside it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roofbeam/report/document.h"

namespace roofbeam {

struct Tick {
  double value;
  std::string label;
};

class Axis {
 public:
  // A range with some air around the finite `values` (positive ones on a logarithmic axis); around
  // one value, or none, it still has a width. A linear axis begins at 0 where that costs little.
  static Axis covering(const std::vector<double>& values, bool log);

  double low() const;
  double high() const;
  // 0 at low() to 1 at high().
  double fraction(double value) const;
  // Round values within the range, rising, about `most` or fewer. With `prefix` the labels take SI
  // prefixes always, else only where plain digits would be long.
  std::vector<Tick> ticks(int most, bool prefix) const;

 private:
  Axis(double low, double high, bool log) : low_(low), high_(high), log_(log) {}
  std::vector<Tick> log_ticks(int most, bool prefix) const;
  std::vector<Tick> linear_ticks(int most, bool prefix) const;

  double low_;  // of log10 where the axis is logarithmic
  double high_;
  bool log_;
};

struct ChartAxes {
  Axis x;
  Axis y;
};

// Points that no axis can show (not finite, or not positive on a logarithmic axis) are left out.
bool drawable(const Chart& chart, const std::pair<double, double>& point);
int count_drawable(const Chart& chart, const Chart::Series& series);
// Whether a series of lines has two places to join; one place is a point.
bool draws_line(const Chart& chart, const Chart::Series& series);
ChartAxes fit_axes(const Chart& chart);
// The label of y with its unit, where the label does not name it already.
std::string y_title(const Chart& chart);
// A coordinate to three digits, with prefix and unit where it has a unit.
std::string show_coordinate(double value, const std::string& unit);

}  // namespace roofbeam
