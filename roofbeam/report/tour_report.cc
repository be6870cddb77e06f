// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

Table what_if_table(const TourAnswer& answer) {
  Table table;
  const std::string times = show_ratio(answer.factor);
  table.columns = {{"what it would gain", false},
                   {times + " the bandwidth", true},
                   {times + " the arithmetic", true}};
  for (const TourAnswer::WhatIf& row : answer.what_if) {
    table.rows.push_back(
        {row.work, show_ratio(row.bandwidth_gain.value), show_ratio(row.arithmetic_gain.value)});
  }
  return table;
}

}  // namespace

Document document(const TourAnswer& answer) {
  const PointsAnswer& placed = answer.placed;
  Document document;
  document.title = "What this machine can do, and what holds work back on it";
  document.blocks.push_back(
      Paragraph{format("{} ({}) with {}.", placed.device.name, placed.device.id,
                       counted(placed.threads, "thread", "threads")),
                false});
  Chart chart = points_chart(placed.roof, placed.points,
                             "The roof: bandwidth is the slope, arithmetic the flat part");
  if (!chart.series.empty()) document.blocks.push_back(std::move(chart));
  document.blocks.push_back(Heading{"Predicted from the ceilings, then measured"});
  document.blocks.push_back(points_table(placed.points));
  if (placed.predictions) add_predictions(document, *placed.predictions);
  if (!placed.remarks.empty()) document.blocks.push_back(Bullets{placed.remarks});
  if (!answer.what_if.empty()) {
    document.blocks.push_back(Heading{"What faster hardware would and would not change"});
    document.blocks.push_back(what_if_table(answer));
  }
  if (!answer.beside.empty()) add_beside(document, answer.beside);
  add_state(document, placed.state);
  document.blocks.push_back(Paragraph{format("What to do next: {}.", answer.next_why), false});
  document.blocks.push_back(Paragraph{answer.next_command, true});
  return document;
}

}  // namespace roofbeam
