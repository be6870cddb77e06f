// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "roofbeam/base/format.h"
#include "roofbeam/report/axis.h"
#include "roofbeam/report/plot.h"
#include "roofbeam/report/terminal_parts.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

constexpr int kRows = 16;
constexpr int kWidest = 120;     // columns; wider pictures flatten every slope
constexpr int kTicksOfRows = 6;  // about as many as stand apart
constexpr int kColumnsPerTick = 8;
constexpr int kLegendGap = 3;

Ink ink_of(std::size_t index, bool line) {
  return (line ? kLineInks : kMarkerInks)[index % kLineInks.size()];
}

// One chart being laid out; only for the length of chart_lines.
class ChartPrinter {
 public:
  ChartPrinter(const Chart& chart, const TerminalStyle& style)
      : chart_(chart), style_(style), axes_(fit_axes(chart)) {
    ticks_ = axes_.y.ticks(kTicksOfRows, !chart.y_unit.empty());
    for (Tick& tick : ticks_) {
      tick.label = clean_line(tick.label, style.unicode);
      margin_ = std::max(margin_, display_width(tick.label));
    }
    columns_ = std::min(style.width, kWidest) - margin_ - 2;
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    add_text(chart_.title, 0, kStrong, lines);
    add_text(y_title(chart_), 0, kPlain, lines);
    add_rows(lines);
    add_x_axis(lines);
    add_legend(lines);
    add_missing(lines);
    return lines;
  }

 private:
  void add_text(const std::string& text, int indent, Ink ink,
                std::vector<std::string>& lines) const {
    if (text.empty()) return;
    for (const std::string& line : wrap(clean_line(text, style_.unicode), style_.width - indent)) {
      lines.push_back(repeat(" ", indent) + paint(line, ink, style_));
    }
  }

  char marker(const Chart::Series& series) const {
    return series.marker > ' ' && series.marker <= '~' ? series.marker : '*';
  }

  Plot draw() const {
    Plot plot(columns_, kRows, style_);
    for (const bool lines : {true, false}) {  // markers come on top of lines
      int dash = 0;
      std::size_t index = 0;
      for (const Chart::Series& series : chart_.series) {
        const Ink ink = ink_of(index++, draws_line(chart_, series));
        std::vector<Plot::Place> places;
        for (const auto& point : series.points) {
          if (!drawable(chart_, point)) continue;
          places.push_back({axes_.x.fraction(point.first), axes_.y.fraction(point.second)});
        }
        if (lines && draws_line(chart_, series)) plot.line(places, dash++, ink);
        if (lines || draws_line(chart_, series)) continue;
        for (const Plot::Place& place : places) plot.mark(place, marker(series), ink);
      }
    }
    return plot;
  }

  void add_rows(std::vector<std::string>& lines) const {
    const Plot plot = draw();
    for (int row = 0; row < kRows; ++row) {
      std::string label;
      for (const Tick& tick : ticks_) {
        const double down = (1 - axes_.y.fraction(tick.value)) * kRows;
        if (std::clamp(static_cast<int>(down), 0, kRows - 1) == row) label = tick.label;
      }
      const char* rule = style_.unicode ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
      lines.push_back(pad(label, margin_, true) + " " + paint(rule, kFaint, style_) +
                      plot.row(row));
    }
  }

  void add_x_axis(std::vector<std::string>& lines) const {
    std::string rule = style_.unicode ? "└" : "+";
    std::string labels(static_cast<std::size_t>(margin_ + 1), ' ');
    int drawn = 0;  // columns of the rule behind the corner
    for (const Tick& tick : axes_.x.ticks(std::max(2, columns_ / kColumnsPerTick), false)) {
      const int column =
          static_cast<int>(std::lround(axes_.x.fraction(tick.value) * (columns_ - 1)));
      const std::string label = clean_line(tick.label, style_.unicode);
      const int wide = display_width(label);
      // Centred below the tick, but inside the picture.
      const int begin =
          std::min(margin_ + 2 + column - (wide - 1) / 2, margin_ + 2 + columns_ - wide);
      if (column < drawn || begin <= display_width(labels) + (drawn == 0 ? -1 : 0)) continue;
      rule += repeat(style_.unicode ? "─" : "-", column - drawn) + (style_.unicode ? "┬" : "+");
      drawn = column + 1;
      labels = pad(labels, begin) + label;
    }
    rule += repeat(style_.unicode ? "─" : "-", columns_ - drawn);
    lines.push_back(repeat(" ", margin_ + 1) + paint(rule, kFaint, style_));
    lines.push_back(labels);
    const int room = style_.width - margin_ - 2;
    const int centre = (columns_ - display_width(clean_line(chart_.x_label, style_.unicode))) / 2;
    add_text(chart_.x_label, style_.width - room + std::max(0, centre), kPlain, lines);
  }

  std::string legend_name(const Chart::Series& series) const {
    return clean_line(series.name, style_.unicode) +
           (count_drawable(chart_, series) == 0 ? " (no points)" : "");
  }

  // Entries stand side by side as long as they fit whole; a long one wraps behind its key.
  void add_legend(std::vector<std::string>& lines) const {
    const int indent = margin_ + 2;
    int used = style_.width;  // columns of the last line; full, so that the first entry begins one
    int dash = 0;
    std::size_t index = 0;
    for (const Chart::Series& series : chart_.series) {
      const std::string key = draws_line(chart_, series) ? Plot::sample(dash++, style_.unicode)
                                                         : std::string(1, marker(series));
      const std::string painted = paint(key, ink_of(index++, draws_line(chart_, series)), style_);
      const std::string name = legend_name(series);
      const int key_wide = display_width(key) + 1;
      const int wide = key_wide + display_width(name);
      if (used + kLegendGap + wide <= style_.width) {
        lines.back() += repeat(" ", kLegendGap) + painted + " " + name;
        used += kLegendGap + wide;
        continue;
      }
      const auto parts = wrap(name, style_.width - indent - key_wide);
      lines.push_back(repeat(" ", indent) + painted + " " + parts[0]);
      for (std::size_t i = 1; i < parts.size(); ++i) {
        lines.push_back(repeat(" ", indent + key_wide) + parts[i]);
      }
      used = parts.size() == 1 ? indent + wide : style_.width;
    }
  }

  // No point disappears without a word.
  void add_missing(std::vector<std::string>& lines) const {
    int missing = 0;
    for (const Chart::Series& series : chart_.series) {
      missing += static_cast<int>(series.points.size()) - count_drawable(chart_, series);
    }
    if (missing == 0) return;
    add_text(
        format("{} {} no place on these axes", missing, missing == 1 ? "point has" : "points have"),
        margin_ + 2, kWarning, lines);
  }

  const Chart& chart_;
  const TerminalStyle& style_;
  ChartAxes axes_;
  std::vector<Tick> ticks_;
  int margin_ = 0;   // columns of the labels of y
  int columns_ = 0;  // of the plot
};

}  // namespace

std::vector<std::string> chart_lines(const Chart& chart, const TerminalStyle& style) {
  int points = 0;
  for (const Chart::Series& series : chart.series) points += count_drawable(chart, series);
  if (points > 0) return ChartPrinter(chart, style).lines();
  std::vector<std::string> lines;
  const std::string title = clean_line(chart.title, style.unicode);
  const std::string text = title.empty() ? "(no points to draw)" : title + " (no points to draw)";
  for (const std::string& line : wrap(text, style.width)) {
    lines.push_back(paint(line, kStrong, style));
  }
  return lines;
}

}  // namespace roofbeam
