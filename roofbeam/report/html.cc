// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "roofbeam/report/chart_js.h"
#include "roofbeam/report/document.h"
#include "roofbeam/report/html_parts.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

std::string text_of(const std::string& text) {
  return escape_html(clean(text));
}

constexpr int kShort = 24;  // columns; a cell up to here is not wrapped, the table scrolls instead

// `tag` is th or td.
std::string cell(const char* tag, const std::string& text, bool right) {
  const bool is_short = display_width(clean_line(text)) <= kShort;
  return std::string("<") + tag +
         (right      ? " class=\"number\">"
          : is_short ? " class=\"short\">"
                     : ">") +
         text_of(text) + "</" + tag + ">";
}

// Turns each kind of block into elements, and gathers the charts that the script will draw.
class BlockWriter {
 public:
  std::string operator()(const Heading& heading) const {
    return "<h2>" + text_of(heading.text) + "</h2>\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    return (paragraph.strong ? "<p class=\"verdict\">" : "<p>") + text_of(paragraph.text) +
           "</p>\n";
  }
  std::string operator()(const Bullets& bullets) const {
    if (bullets.items.empty()) return "";
    std::string html = "<ul>\n";
    for (const std::string& item : bullets.items) html += "<li>" + text_of(item) + "</li>\n";
    return html + "</ul>\n";
  }
  std::string operator()(const Notice& notice) const {
    return "<p class=\"notice\" role=\"note\">" + text_of(notice.text) + "</p>\n";
  }
  std::string operator()(const Table& table) const {
    std::string html = "<div class=\"wide\"><table>\n<thead><tr>";
    for (const Table::Column& column : table.columns) {
      html += cell("th", column.title, column.right);
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      html += "<tr>";
      for (std::size_t c = 0; c < row.size(); ++c) {
        html += cell("td", row[c], c < table.columns.size() && table.columns[c].right);
      }
      html += "</tr>\n";
    }
    return html + "</tbody>\n</table></div>\n";
  }
  std::string operator()(const Chart& chart) {
    const std::string html = chart_figure(chart, static_cast<int>(charts_.size()));
    if (html.find("<canvas") != std::string::npos) charts_.push_back(&chart);
    return html;
  }

  const std::vector<const Chart*>& charts() const { return charts_; }

 private:
  std::vector<const Chart*> charts_;
};

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  for (char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      case '\n':
        html += "<br>";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string to_html(const Document& document) {
  const std::string title = escape_html(clean_line(document.title));
  BlockWriter writer;
  std::string body;
  for (const Block& block : document.blocks) body += std::visit(writer, block);

  // The policy holds the page to its promise: nothing is fetched from anywhere.
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"roofbeam\">\n<title>" +
      (title.empty() ? "roofbeam" : title) + "</title>\n<style>";
  page += page_style();
  page +=
      "</style>\n<noscript><style>.plot { display: none; "
      "}</style></noscript>\n</head>\n<body>\n<main>\n";
  if (!title.empty()) page += "<h1>" + title + "</h1>\n";
  page += body + "</main>\n";
  if (!writer.charts().empty()) {
    page += "<script type=\"application/json\" id=\"charts\">\n" + charts_data(writer.charts()) +
            "\n</script>\n<script>\n";
    page += chart_js();
    page += "\n</script>\n<script>";
    page += page_script();
    page += "</script>\n";
  }
  return page + "</body>\n</html>\n";
}

}  // namespace roofbeam
