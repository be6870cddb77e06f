// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/report/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

// Which columns along a line are drawn, in turn.
struct Dash {
  int on;
  int off;
};
constexpr std::array kDashes = {Dash{1, 0}, Dash{2, 1}, Dash{1, 1}, Dash{3, 2}, Dash{1, 2}};
constexpr int kSampleColumns = 5;

bool drawn(int column, int dash) {
  const Dash& pattern = kDashes[static_cast<std::size_t>(dash) % kDashes.size()];
  return column % (pattern.on + pattern.off) < pattern.on;
}

// The bit of a dot in a braille character, by row from the top, then by column.
constexpr std::array<std::array<unsigned, 2>, 4> kDots = {
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
constexpr char32_t kBraille = 0x2800;

int nearest_of(double fraction, int count) {
  return static_cast<int>(std::lround(fraction * (count - 1)));
}

// The sign of a line at `y` rows from the top, by its slope in columns across and rows down. A
// gentle slope climbs within a row: . - '
char line_sign(double y, double dx, double dy) {
  const double across = std::fabs(dx);
  const double down = std::fabs(dy);
  if (down < 0.02 * across) return '-';
  if (across < 0.3 * down) return '|';
  if (down > 0.75 * across) return dx * dy < 0 ? '/' : '\\';
  const double within = y - std::floor(y);
  return within < 1.0 / 3 ? '\'' : within < 2.0 / 3 ? '-' : '.';
}

}  // namespace

Plot::Plot(int columns, int rows, const TerminalStyle& style)
    : columns_(columns),
      rows_(rows),
      style_(style),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

Plot::Cell& Plot::cell(int column, int row) {
  return cells_[static_cast<std::size_t>(row * columns_ + column)];
}

void Plot::line(const std::vector<Place>& places, int dash, Ink ink) {
  int step = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (style_.unicode) {
      braille(places[i - 1], places[i], dash, ink, step);
    } else {
      ascii(places[i - 1], places[i], dash, ink, step);
    }
  }
}

void Plot::braille(Place from, Place to, int dash, Ink ink, int& step) {
  const double x0 = nearest_of(from.x, 2 * columns_);
  const double y0 = nearest_of(1 - from.y, 4 * rows_);
  const double dx = nearest_of(to.x, 2 * columns_) - x0;
  const double dy = nearest_of(1 - to.y, 4 * rows_) - y0;
  const int steps = std::max(1, static_cast<int>(std::max(std::fabs(dx), std::fabs(dy))));
  for (int i = 0; i <= steps; ++i) {
    if (i > 0) ++step;
    if (!drawn(step / 2, dash)) continue;  // two dots to a column
    const int x = static_cast<int>(std::lround(x0 + dx * i / steps));
    const int y = static_cast<int>(std::lround(y0 + dy * i / steps));
    Cell& target = cell(x / 2, y / 4);
    target.dots |= kDots[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)];
    target.ink = ink;
  }
}

void Plot::ascii(Place from, Place to, int dash, Ink ink, int& step) {
  const double x0 = nearest_of(from.x, columns_);
  const double dx = nearest_of(to.x, columns_) - x0;
  const double y0 = (1 - from.y) * (rows_ - 1e-6);
  const double dy = (1 - to.y) * (rows_ - 1e-6) - y0;
  const int steps =
      std::max(1, static_cast<int>(std::lround(std::max(std::fabs(dx), std::fabs(dy)))));
  for (int i = 0; i <= steps; ++i) {
    if (i > 0) ++step;
    if (!drawn(step, dash)) continue;
    const double y = y0 + dy * i / steps;
    const int x = static_cast<int>(std::lround(x0 + dx * i / steps));
    Cell& target = cell(x, std::clamp(static_cast<int>(std::floor(y)), 0, rows_ - 1));
    target.dots = static_cast<unsigned char>(line_sign(y, dx, dy));
    target.ink = ink;
  }
}

void Plot::mark(Place place, char marker, Ink ink) {
  const int column = nearest_of(place.x, columns_);
  const int row = std::clamp(static_cast<int>((1 - place.y) * rows_), 0, rows_ - 1);
  for (int aside : {0, 1, -1, 2, -2}) {
    if (column + aside < 0 || column + aside >= columns_) continue;
    Cell& target = cell(column + aside, row);
    if (target.marker == marker) return;
    if (target.marker != '\0') continue;
    target.marker = marker;
    target.ink = ink;
    return;
  }
}

std::string Plot::glyph(const Cell& cell) const {
  if (cell.marker != '\0') return std::string(1, cell.marker);
  if (cell.dots == 0) return " ";
  std::string text;
  append(text, style_.unicode ? kBraille + cell.dots : static_cast<char32_t>(cell.dots));
  return text;
}

std::string Plot::row(int index) const {
  const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(index) * columns_;
  std::string text;
  std::string run;  // of one ink
  Ink ink = kPlain;
  int blanks = 0;
  for (auto at = begin; at != begin + columns_; ++at) {
    if (at->dots == 0 && at->marker == '\0') {
      ++blanks;
      continue;
    }
    if (at->ink.code != ink.code || blanks > 0) {
      text += paint(run, ink, style_) + repeat(" ", blanks);
      run.clear();
    }
    blanks = 0;
    ink = at->ink;
    run += glyph(*at);
  }
  return text + paint(run, ink, style_);
}

std::string Plot::sample(int dash, bool unicode) {
  std::string text;
  for (int column = 0; column < kSampleColumns; ++column) {
    text += !drawn(column, dash) ? " " : unicode ? "⠒" : "-";
  }
  return text;
}

}  // namespace roofbeam
