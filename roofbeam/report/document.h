// SPDX-License-Identifier: Apache-2.0
// What a person reads, before it is known where: a terminal, a page or a table to paste. Holds text
// that is already worded and numbers that are already computed; renderers compute nothing.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace roofbeam {

struct Heading {
  std::string text;
};

// Wrapped to the width at hand. `strong` stands out: the verdict.
struct Paragraph {
  std::string text;
  bool strong = false;
};

struct Bullets {
  std::vector<std::string> items;
};

// A warning or a remark that must not be overlooked.
struct Notice {
  std::string text;
};

struct Table {
  struct Column {
    std::string title;
    bool right = false;  // numbers stand right
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

// Lines and points over two axes, for terminal and page alike.
struct Chart {
  struct Series {
    std::string name;
    bool line = false;  // a line through the points, else a marker at each
    char marker = '*';  // in the terminal
    std::vector<std::pair<double, double>> points;  // positive where the axis is logarithmic
  };
  std::string title;
  std::string x_label;
  std::string y_label;
  std::string y_unit;  // of y, with SI prefixes: FLOP/s; empty for plain numbers
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
};

using Block = std::variant<Heading, Paragraph, Bullets, Notice, Table, Chart>;

struct Document {
  std::string title;
  std::vector<Block> blocks;
};

struct TerminalStyle {
  int width = 80;       // columns, at least 40
  bool color = false;   // ANSI colours
  bool unicode = true;  // box drawing and blocks, else plain ASCII
};

std::string to_terminal(const Document& document, const TerminalStyle& style);
// A page that needs nothing else: Chart.js and the data are inside it.
std::string to_html(const Document& document);
// The tables and sentences as Markdown; charts are left out.
std::string to_markdown(const Document& document);

}  // namespace roofbeam
