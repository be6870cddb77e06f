// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

std::string share(double p) {
  return show_number(p);
}

std::string workers(double n) {
  return n < 1e6 ? format("{:.0f}", n) : show_si(n, "");
}

Table table_of(const AmdahlAnswer& answer) {
  Table table;
  table.columns = {{"parallel share p", true}};
  std::vector<double> counts;
  for (const auto& row : answer.rows) {
    if (std::find(counts.begin(), counts.end(), row.n) == counts.end()) counts.push_back(row.n);
  }
  for (double n : counts) table.columns.push_back({"N=" + trim(workers(n)), true});
  table.columns.push_back({"limit", true});
  std::size_t next = 0;
  for (const auto& limit : answer.limits) {
    std::vector<std::string> cells = {share(limit.p)};
    for (std::size_t i = 0; i < counts.size() && next < answer.rows.size(); ++i) {
      cells.push_back(format("{:.1f}", answer.rows[next++].speedup));
    }
    cells.push_back(limit.limit ? format("{:.1f}", *limit.limit) : "none");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Chart chart_of(const AmdahlAnswer& answer) {
  Chart chart;
  chart.title = "Speed-up over the number of workers";
  chart.x_label = "workers";
  chart.y_label = "speed-up";
  chart.log_x = true;
  chart.log_y = true;
  char marker = 'a';
  for (const auto& curve : answer.curves) {
    Chart::Series series;
    series.name = curve.empty() ? "" : "p = " + share(curve.front().p);
    series.line = true;
    series.marker = marker;
    if (marker < 'z') ++marker;
    for (const auto& row : curve) series.points.emplace_back(row.n, row.speedup);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

Document document(const AmdahlAnswer& answer) {
  const bool gustafson = answer.law == AmdahlAnswer::Law::gustafson;
  Document document;
  document.title = gustafson ? "Gustafson's law" : "Amdahl's law";
  document.blocks.push_back(Paragraph{
      gustafson ? "Speed-up when the problem grows with the workers: S = (1 - p) + p N. Here p is "
                  "the parallel share of the time on N workers, another p than Amdahl's."
                : "Speed-up of a fixed problem: S = 1 / ((1 - p) + p / N). The serial share 1 - p "
                  "takes as long on any number of workers, so it sets the limit 1 / (1 - p).",
      false});
  document.blocks.push_back(table_of(answer));
  document.blocks.push_back(chart_of(answer));
  return document;
}

}  // namespace roofbeam
