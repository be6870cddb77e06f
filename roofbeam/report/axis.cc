// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/report/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr double kLargest = 1e308;
constexpr double kLogLow = -307;  // below are the numbers that lose digits
constexpr double kLogHigh = 308;
constexpr double kAir = 0.05;  // of the range, at each end
// Nearer than this the points count as one value: ticks between them would need too many digits.
constexpr double kAlike = 1e-9;

constexpr std::array kPrefixes = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"};
constexpr int kNoPrefix = 4;

int floor_div(int a, int b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// digits × 10^exponent, written with the prefix of 10^(3·thousands). Built from whole numbers, so
// that no label ends in 0000000001.
std::string label(long long digits, int exponent, int thousands) {
  if (digits == 0) return "0";
  const int shift = exponent - 3 * thousands;
  const int row = thousands + kNoPrefix;
  if (row < 0 || row >= static_cast<int>(kPrefixes.size())) {
    return format("{:g}", static_cast<double>(digits) * std::pow(10.0, exponent));
  }
  const char* prefix = kPrefixes[static_cast<std::size_t>(row)];
  const double number = static_cast<double>(digits) * std::pow(10.0, shift);
  const std::string pattern =
      format("{{:.{}f}}{}{}", std::max(0, -shift), thousands == 0 ? "" : " ", prefix);
  return format(pattern, number);
}

// Plain digits from 0.001 to 9999 where no prefix is asked for.
int thousands_for(int decade, bool prefix) {
  return !prefix && decade >= -3 && decade <= 3 ? 0 : floor_div(decade, 3);
}

int decade_of(double value) {
  return static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9));
}

Axis widen(double value, bool log, Axis (*make)(double, double, bool)) {
  if (log) return make(std::max(value - 0.5, kLogLow), std::min(value + 0.5, kLogHigh), true);
  const double half = std::fabs(value) < 1.0 / kLargest ? 1.0 : std::fabs(value) / 2;
  return make(std::max(value - half, -kLargest), std::min(value + half, kLargest), false);
}

}  // namespace

Axis Axis::covering(const std::vector<double>& values, bool log) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (double value : values) {
    if (!std::isfinite(value) || (log && value <= 0)) continue;
    const double place = log ? std::clamp(std::log10(value), kLogLow, kLogHigh)
                             : std::clamp(value, -kLargest, kLargest);
    low = std::min(low, place);
    high = std::max(high, place);
  }
  const auto make = [](double a, double b, bool l) { return Axis(a, b, l); };
  if (low > high) return log ? Axis(0, 1, true) : Axis(0, 1, false);
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (high / 2 - low / 2 <= kAlike * (log ? 1.0 : std::max(size, 1.0 / kLargest))) {
    return widen(low / 2 + high / 2, log, make);
  }
  if (log) {
    const double air = std::max(kAir * (high - low), 0.05);
    return Axis(std::max(low - air, kLogLow), std::min(high + air, kLogHigh), true);
  }
  const double air = 2 * kAir * (high / 2 - low / 2);
  const bool from_zero = low >= 0 && low <= 0.4 * high;
  const double first = from_zero ? 0.0 : std::max(low - air, low >= 0 ? 0.0 : -kLargest);
  return Axis(first, std::min(high + air, kLargest), false);
}

double Axis::low() const {
  return log_ ? std::pow(10.0, low_) : low_;
}

double Axis::high() const {
  return log_ ? std::pow(10.0, high_) : high_;
}

double Axis::fraction(double value) const {
  const double place = log_ ? std::log10(value) : value;
  // Halves, because the difference of two doubles can be too large for a double.
  return std::clamp((place / 2 - low_ / 2) / (high_ / 2 - low_ / 2), 0.0, 1.0);
}

std::vector<Tick> Axis::ticks(int most, bool prefix) const {
  std::vector<Tick> ticks;
  if (log_) ticks = log_ticks(most, prefix);
  return ticks.size() < 2 ? Axis(low(), high(), false).linear_ticks(most, prefix) : ticks;
}

std::vector<Tick> Axis::log_ticks(int most, bool prefix) const {
  const int first = static_cast<int>(std::floor(low_));
  const int last = static_cast<int>(std::floor(high_));
  const int decades = last - static_cast<int>(std::ceil(low_)) + 1;
  int step = std::max(1, (decades + most - 1) / most);
  if (step > 3) step = (step + 2) / 3 * 3;  // from prefix to prefix
  const std::vector<int> digits = high_ - low_ < 2 ? std::vector{1, 2, 5} : std::vector{1};
  std::vector<Tick> ticks;
  for (int decade = first; decade <= last; ++decade) {
    if (decade % step != 0) continue;
    for (int digit : digits) {
      const double place = decade + std::log10(digit);
      if (place < low_ || place > high_) continue;
      ticks.push_back(
          {digit * std::pow(10.0, decade), label(digit, decade, thousands_for(decade, prefix))});
    }
  }
  return ticks;
}

std::vector<Tick> Axis::linear_ticks(int most, bool prefix) const {
  const double rough = 2 * ((high_ / 2 - low_ / 2) / most);
  int exponent = decade_of(rough);
  const double scaled = rough / std::pow(10.0, exponent);
  int digit = 10;
  for (int candidate : {5, 2, 1}) {
    if (scaled <= candidate * 1.1) digit = candidate;  // a tick more is better than half of them
  }
  if (digit == 10) {
    digit = 1;
    ++exponent;
  }
  const double step = digit * std::pow(10.0, exponent);
  const double size = std::max(std::fabs(low_), std::fabs(high_));
  const int thousands = thousands_for(decade_of(size), prefix);
  std::vector<Tick> ticks;
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i <= 2 * most; ++i) {
    const double count = first + i;
    if (count * step > high_ + step * 1e-9) break;
    ticks.push_back(
        {count * step, label(static_cast<long long>(count) * digit, exponent, thousands)});
  }
  return ticks;
}

bool drawable(const Chart& chart, const std::pair<double, double>& point) {
  const auto shows = [](double value, bool log) {
    return std::isfinite(value) && (!log || value > 0);
  };
  return shows(point.first, chart.log_x) && shows(point.second, chart.log_y);
}

int count_drawable(const Chart& chart, const Chart::Series& series) {
  return static_cast<int>(std::count_if(series.points.begin(), series.points.end(),
                                        [&](const auto& p) { return drawable(chart, p); }));
}

bool draws_line(const Chart& chart, const Chart::Series& series) {
  const std::pair<double, double>* first = nullptr;
  for (const auto& point : series.points) {
    if (!drawable(chart, point)) continue;
    if (first != nullptr && point != *first) return series.line;
    first = &point;
  }
  return false;
}

ChartAxes fit_axes(const Chart& chart) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Chart::Series& series : chart.series) {
    for (const auto& point : series.points) {
      if (!drawable(chart, point)) continue;
      xs.push_back(point.first);
      ys.push_back(point.second);
    }
  }
  return {Axis::covering(xs, chart.log_x), Axis::covering(ys, chart.log_y)};
}

std::string y_title(const Chart& chart) {
  if (chart.y_unit.empty() || chart.y_label.find(chart.y_unit) != std::string::npos) {
    return chart.y_label;
  }
  return chart.y_label.empty() ? chart.y_unit : format("{} ({})", chart.y_label, chart.y_unit);
}

std::string show_coordinate(double value, const std::string& unit) {
  const double size = std::fabs(value);
  const bool ordinary = size >= 1e-9 && size < 1e18;
  if (!ordinary && value != 0) return trim(format("{:.3g} {}", value, unit));
  if (!unit.empty()) return show_si(value, unit);
  return size < 1e6 && size >= 1e-3 ? show_number(value) : format("{:.3g}", value);
}

}  // namespace roofbeam
