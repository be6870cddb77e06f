// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "roofbeam/report/document.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

bool is_word(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const auto c = static_cast<unsigned char>(text[at]);
  return std::isalnum(c) != 0 || c >= 0x80;
}

// A line that begins like a list, a heading, a quote or a rule would become one.
std::size_t opening(std::string_view line) {
  std::size_t digits = 0;
  while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits]))) ++digits;
  if (digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')')) {
    return digits + 1 == line.size() || line[digits + 1] == ' ' ? digits : std::string::npos;
  }
  return !line.empty() && std::string_view("#+-=").find(line[0]) != std::string_view::npos
             ? 0
             : std::string::npos;
}

std::string escape_line(std::string_view line) {
  const std::size_t first = opening(line);
  std::string result;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    // An underscore inside a word stands for itself, and names with many of them stay readable.
    const bool inside = c == '_' && at > 0 && is_word(line, at - 1) && is_word(line, at + 1);
    const bool special = std::string_view("\\`*_[]<>&|~$").find(c) != std::string_view::npos;
    if (at == first || (special && !inside)) result += '\\';
    result += c;
  }
  return result;
}

// Line feeds as <br>, because a backslash at the end of a line is not understood everywhere.
std::string escape(const std::string& text) {
  const std::string cleaned = clean(text);
  std::string result;
  std::string_view rest = cleaned;
  while (true) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    result += escape_line(line);
    if (end == rest.size()) return result;
    result += "<br>";
    rest.remove_prefix(end + 1);
  }
}

std::string table_row(const std::vector<std::string>& cells, const std::vector<int>& widths,
                      const Table& table) {
  std::string line = "|";
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const bool right = c < table.columns.size() && table.columns[c].right;
    line += " " + pad(c < cells.size() ? cells[c] : "", widths[c], right) + " |";
  }
  return line + "\n";
}

// Gives each block its text without the blank line behind it; nothing for what is left out.
struct BlockMarker {
  std::string operator()(const Heading& heading) const {
    return "## " + escape(clean_line(heading.text)) + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    const std::string text = escape(paragraph.text);
    if (text.empty()) return "";
    return (paragraph.strong ? "**" + text + "**" : text) + "\n";
  }
  std::string operator()(const Bullets& bullets) const {
    std::string list;
    for (const std::string& item : bullets.items) list += "- " + escape(item) + "\n";
    return list;
  }
  std::string operator()(const Notice& notice) const {
    return "> **Note:** " + escape(notice.text) + "\n";
  }
  std::string operator()(const Table& table) const {
    std::vector<std::vector<std::string>> lines(1);
    std::size_t count = table.columns.size();
    for (const Table::Column& column : table.columns) lines[0].push_back(escape(column.title));
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (const std::string& cell : row) cells.push_back(escape(cell));
      count = std::max(count, cells.size());
      lines.push_back(std::move(cells));
    }
    if (count == 0) return "";
    std::vector<int> widths(count, 3);  // of the shortest rule
    for (const auto& cells : lines) {
      for (std::size_t c = 0; c < cells.size(); ++c) {
        widths[c] = std::max(widths[c], display_width(cells[c]));
      }
    }
    std::string text = table_row(lines[0], widths, table) + "|";
    for (std::size_t c = 0; c < count; ++c) {
      const bool right = c < table.columns.size() && table.columns[c].right;
      text += " " + repeat("-", widths[c] - (right ? 1 : 0)) + (right ? ": |" : " |");
    }
    text += "\n";
    for (std::size_t i = 1; i < lines.size(); ++i) text += table_row(lines[i], widths, table);
    return text;
  }
  std::string operator()(const Chart&) const { return ""; }
};

}  // namespace

std::string to_markdown(const Document& document) {
  std::string page;
  const std::string title = escape(clean_line(document.title));
  if (!title.empty()) page = "# " + title + "\n";
  for (const Block& block : document.blocks) {
    const std::string text = std::visit(BlockMarker{}, block);
    if (text.empty()) continue;
    if (!page.empty()) page += "\n";
    page += text;
  }
  return page;
}

}  // namespace roofbeam
