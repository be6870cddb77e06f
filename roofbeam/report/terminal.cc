// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "roofbeam/report/document.h"
#include "roofbeam/report/terminal_parts.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

constexpr int kNarrowest = 40;

using Lines = std::vector<std::string>;

// `first` stands before the first line and `later`, as wide, before the others.
Lines hang(const std::string& first, const std::string& later, const std::string& text, Ink ink,
           const TerminalStyle& style) {
  Lines lines;
  for (const std::string& line : wrap(text, style.width - display_width(first))) {
    lines.push_back(paint((lines.empty() ? first : later) + line, ink, style));
  }
  return lines;
}

// Turns each kind of block into lines.
class BlockPrinter {
 public:
  explicit BlockPrinter(const TerminalStyle& style) : style_(style) {}

  Lines operator()(const Heading& heading) const {
    const std::string dash = style_.unicode ? "─" : "-";
    const std::string text = clean_line(heading.text, style_.unicode);
    Lines lines = hang(dash + dash + " ", "   ", text, kStrong, style_);
    const int used = 3 + display_width(text);
    if (used + 1 < style_.width) {
      lines[0] += " " + paint(repeat(dash, style_.width - used - 1), kFaint, style_);
    }
    return lines;
  }
  Lines operator()(const Paragraph& paragraph) const {
    const std::string bar = !paragraph.strong ? "" : style_.unicode ? "▌ " : "| ";
    return hang(bar, bar, clean(paragraph.text, style_.unicode),
                paragraph.strong ? kStrong : kPlain, style_);
  }
  Lines operator()(const Bullets& bullets) const {
    Lines lines;
    for (const std::string& item : bullets.items) {
      const Lines more = hang(style_.unicode ? "  • " : "  - ", "    ", clean(item, style_.unicode),
                              kPlain, style_);
      lines.insert(lines.end(), more.begin(), more.end());
    }
    return lines;
  }
  Lines operator()(const Notice& notice) const {
    return hang("! ", "  ", clean(notice.text, style_.unicode), kWarning, style_);
  }
  Lines operator()(const Table& table) const { return table_lines(table, style_); }
  Lines operator()(const Chart& chart) const { return chart_lines(chart, style_); }

 private:
  const TerminalStyle& style_;
};

}  // namespace

std::string paint(std::string_view text, Ink ink, const TerminalStyle& style) {
  if (!style.color || *ink.code == '\0' || text.empty()) return std::string(text);
  return std::string("\x1b[") + ink.code + "m" + std::string(text) + "\x1b[0m";
}

std::string to_terminal(const Document& document, const TerminalStyle& style) {
  TerminalStyle wide = style;
  wide.width = std::max(style.width, kNarrowest);
  std::string page;
  const std::string title = clean_line(document.title, wide.unicode);
  if (!title.empty()) {
    int widest = 0;
    for (const std::string& line : wrap(title, wide.width)) {
      widest = std::max(widest, display_width(line));
      page += paint(line, kStrong, wide) + "\n";
    }
    page += paint(repeat(wide.unicode ? "═" : "=", widest), kFaint, wide) + "\n";
  }
  const Block* before = nullptr;
  for (const Block& block : document.blocks) {
    const Lines lines = std::visit(BlockPrinter(wide), block);
    if (lines.empty()) continue;
    // Notices that follow each other stay together.
    const bool together = before != nullptr && std::holds_alternative<Notice>(*before) &&
                          std::holds_alternative<Notice>(block);
    if (!page.empty() && !together) page += "\n";
    for (const std::string& line : lines) page += line + "\n";
    before = &block;
  }
  return page;
}

}  // namespace roofbeam
