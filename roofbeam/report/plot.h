// SPDX-License-Identifier: Apache-2.0
// The inner rectangle of a chart drawn in text: lines of braille dots (2 × 4 in a cell), or of
// ASCII signs, and markers on top of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roofbeam/report/terminal_parts.h"

namespace roofbeam {

class Plot {
 public:
  Plot(int columns, int rows, const TerminalStyle& style);

  // A point in fractions of the rectangle, from its lower left corner.
  struct Place {
    double x;
    double y;
  };
  // Joins the places in their order. Later series of lines are dashed, so that they differ without
  // colour; `dash` counts them.
  void line(const std::vector<Place>& places, int dash, Ink ink);
  // A marker whose cell another kind of marker took moves aside by up to two columns.
  void mark(Place place, char marker, Ink ink);

  // From the top.
  std::string row(int index) const;
  // What stands for a line in the legend.
  static std::string sample(int dash, bool unicode);

 private:
  struct Cell {
    unsigned dots = 0;  // braille, or an ASCII sign
    char marker = '\0';
    Ink ink = kPlain;
  };
  Cell& cell(int column, int row);
  std::string glyph(const Cell& cell) const;
  void braille(Place from, Place to, int dash, Ink ink, int& step);
  void ascii(Place from, Place to, int dash, Ink ink, int& step);

  int columns_;
  int rows_;
  TerminalStyle style_;
  std::vector<Cell> cells_;
};

}  // namespace roofbeam
