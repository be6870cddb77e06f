// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"
#include "roofbeam/base/json.h"
#include "roofbeam/report/axis.h"
#include "roofbeam/report/html_parts.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {
namespace {

constexpr int kTicks = 8;

// The shortest digits that give the number again, as JSON has them.
std::string exact(double value) {
  return write_json(Json(value));
}

Json axis_data(const Axis& axis, bool log, const std::string& title, bool prefix) {
  Json ticks = Json::array();
  for (const Tick& tick : axis.ticks(kTicks, prefix)) {
    ticks.push(Json::object({{"value", tick.value}, {"label", tick.label}}));
  }
  return Json::object({{"log", log},
                       {"title", clean_line(title)},
                       {"min", axis.low()},
                       {"max", axis.high()},
                       {"ticks", std::move(ticks)}});
}

// What the tooltip of a point says.
std::string point_text(const Chart& chart, const Chart::Series& series,
                       const std::pair<double, double>& point) {
  const std::string x = show_coordinate(point.first, "");
  const std::string y = show_coordinate(point.second, chart.y_unit);
  return clean_line(chart.x_label.empty()
                        ? format("{}: {} at {}", series.name, y, x)
                        : format("{}: {} at {} = {}", series.name, y, chart.x_label, x));
}

Json chart_data(const Chart& chart) {
  const ChartAxes axes = fit_axes(chart);
  Json all = Json::array();
  for (const Chart::Series& series : chart.series) {
    Json points = Json::array();
    for (const auto& point : series.points) {
      if (!drawable(chart, point)) continue;
      points.push(Json::object(
          {{"x", point.first}, {"y", point.second}, {"text", point_text(chart, series, point)}}));
    }
    all.push(Json::object({{"name", clean_line(series.name)},
                           {"line", draws_line(chart, series)},
                           {"points", std::move(points)}}));
  }
  return Json::object({{"x", axis_data(axes.x, chart.log_x, chart.x_label, false)},
                       {"y", axis_data(axes.y, chart.log_y, y_title(chart), !chart.y_unit.empty())},
                       {"series", std::move(all)}});
}

std::string number_cell(double value, const std::string& unit) {
  return format("<td class=\"number\"><data value=\"{}\">{}</data></td>", exact(value),
                escape_html(clean_line(show_coordinate(value, unit))));
}

}  // namespace

std::string charts_data(const std::vector<const Chart*>& charts) {
  Json all = Json::array();
  for (const Chart* chart : charts) all.push(chart_data(*chart));
  std::string text;
  for (char c : write_json(all, 1)) {
    if (c == '<') {
      text += "\\u003c";  // so that no text ends the script element
    } else {
      text += c;
    }
  }
  return text;
}

std::string chart_figure(const Chart& chart, int index) {
  const std::string title = escape_html(clean_line(chart.title));
  std::string html = "<figure>\n";
  if (!title.empty()) html += "<figcaption>" + title + "</figcaption>\n";
  int points = 0;
  for (const Chart::Series& series : chart.series) points += count_drawable(chart, series);
  if (points > 0) {
    html += format(
        "<div class=\"plot\"><canvas id=\"chart-{}\" role=\"img\" aria-label=\"{}\">"
        "</canvas></div>\n<noscript><p>The picture needs JavaScript; its points are below."
        "</p></noscript>\n",
        index, title);
  } else {
    html += "<p>No points to draw.</p>\n";
  }
  const std::string x = chart.x_label.empty() ? "x" : chart.x_label;
  const std::string y = chart.y_label.empty() ? "y" : chart.y_label;
  html += "<details><summary>The points as a table</summary>\n<div class=\"wide\"><table>\n";
  html += format(
      "<thead><tr><th>series</th><th class=\"number\">{}</th><th class=\"number\">{}</th>"
      "</tr></thead>\n<tbody>\n",
      escape_html(clean_line(x)), escape_html(clean_line(y)));
  for (const Chart::Series& series : chart.series) {
    for (const auto& point : series.points) {
      html += "<tr><td>" + escape_html(clean_line(series.name));
      if (!drawable(chart, point)) html += " (has no place on these axes)";
      html += "</td>" + number_cell(point.first, "") + number_cell(point.second, chart.y_unit) +
              "</tr>\n";
    }
  }
  return html + "</tbody>\n</table></div></details>\n</figure>\n";
}

}  // namespace roofbeam
