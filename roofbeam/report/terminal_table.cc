// SPDX-License-Identifier: Apache-2.0
// A table that does not fit gives way in this order: titles of number columns and cells of text
// columns wrap between words, then long words of text columns are broken, then each row becomes a
// list of "title: cell". Numbers are never broken.
#include <algorithm>
#include <cctype>
#include <numeric>

#include "roofbeam/report/terminal_parts.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

constexpr int kGap = 2;
constexpr int kNarrowestText = 10;  // columns; below that a broken text is unreadable

struct Layout {
  std::vector<Table::Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<int> widths;
};

// Cleaned, and every row as long as the longest, so that nothing is dropped.
Layout cleaned(const Table& table, bool unicode) {
  Layout layout;
  std::size_t count = table.columns.size();
  for (const auto& row : table.rows) count = std::max(count, row.size());
  layout.columns = table.columns;
  layout.columns.resize(count);
  for (Table::Column& column : layout.columns) column.title = clean_line(column.title, unicode);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells(count);
    std::transform(row.begin(), row.end(), cells.begin(),
                   [&](const std::string& cell) { return clean_line(cell, unicode); });
    layout.rows.push_back(std::move(cells));
  }
  for (std::size_t c = 0; c < count; ++c) {
    int width = display_width(layout.columns[c].title);
    for (const auto& row : layout.rows) width = std::max(width, display_width(row[c]));
    layout.widths.push_back(std::max(width, 1));
  }
  return layout;
}

int longest_number(const std::string& cell) {
  int longest = 0;
  for (std::size_t at = 0; at < cell.size();) {
    const std::size_t end = std::min(cell.find(' ', at), cell.size());
    const std::string word = cell.substr(at, end - at);
    if (std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })) {
      longest = std::max(longest, display_width(word));
    }
    at = end + 1;
  }
  return longest;
}

// How narrow column `c` may become; with `breaking` the long words of a text column may be broken.
int least_width(const Layout& layout, std::size_t c, bool breaking) {
  const Table::Column& column = layout.columns[c];
  int least = column.right ? longest_word(column.title) : 1;
  for (const auto& row : layout.rows) {
    least = std::max(least, column.right ? display_width(row[c])
                            : breaking   ? longest_number(row[c])
                                         : longest_word(row[c]));
  }
  if (column.right) return std::min(least, layout.widths[c]);
  if (!breaking) least = std::max(least, longest_word(column.title));
  return std::min(std::max(least, kNarrowestText), layout.widths[c]);
}

// Takes columns from the widest that can give until the table fits; true if it does.
bool shrink(Layout& layout, int room, bool breaking) {
  std::vector<int> least;
  for (std::size_t c = 0; c < layout.widths.size(); ++c) {
    least.push_back(least_width(layout, c, breaking));
  }
  int total = std::accumulate(layout.widths.begin(), layout.widths.end(), 0);
  for (; total > room; --total) {
    int* widest = nullptr;
    for (std::size_t c = 0; c < least.size(); ++c) {
      int& width = layout.widths[c];
      if (width > least[c] && (widest == nullptr || width > *widest)) widest = &width;
    }
    if (widest == nullptr) return false;
    --*widest;
  }
  return true;
}

void trim_right(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

// The lines of one row; short cells are followed by blanks, or preceded where titles stand low.
void add_row(const Layout& layout, const std::vector<std::string>& cells, bool low,
             std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> wrapped;
  std::size_t height = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    wrapped.push_back(wrap(cells[c], std::max(layout.widths[c], 2)));
    height = std::max(height, wrapped.back().size());
  }
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t skip = low ? height - wrapped[c].size() : 0;
      const bool has = i >= skip && i - skip < wrapped[c].size();
      if (c > 0) line += repeat(" ", kGap);
      line += pad(has ? wrapped[c][i - skip] : "", layout.widths[c], layout.columns[c].right);
    }
    trim_right(line);
    lines.push_back(std::move(line));
  }
}

std::vector<std::string> as_list(const Layout& layout, const TerminalStyle& style) {
  std::vector<std::string> lines;
  for (const auto& row : layout.rows) {
    if (!lines.empty()) lines.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string& title = layout.columns[c].title;
      const std::string text = title.empty() ? row[c] : title + ": " + row[c];
      const std::vector<std::string> wrapped = wrap(text, style.width - kGap);
      for (std::size_t i = 0; i < wrapped.size(); ++i) {
        lines.push_back((i == 0 ? "" : repeat(" ", kGap)) + wrapped[i]);
      }
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> table_lines(const Table& table, const TerminalStyle& style) {
  std::vector<std::string> lines;
  Layout layout = cleaned(table, style.unicode);
  if (layout.columns.empty()) return lines;
  const int room = style.width - kGap * (static_cast<int>(layout.columns.size()) - 1);
  if (!shrink(layout, room, false) && !shrink(layout, room, true)) return as_list(layout, style);

  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    titles.push_back(layout.columns[c].title);
    rules.push_back(repeat(style.unicode ? "─" : "-", layout.widths[c]));
  }
  add_row(layout, titles, true, lines);
  for (std::string& line : lines) line = paint(line, kStrong, style);
  std::string rule;
  for (const std::string& part : rules) rule += (rule.empty() ? "" : repeat(" ", kGap)) + part;
  lines.push_back(paint(rule, kFaint, style));
  for (const auto& row : layout.rows) add_row(layout, row, false, lines);
  return lines;
}

}  // namespace roofbeam
