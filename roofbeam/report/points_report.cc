// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

constexpr const char* kNone = "-";

std::string words_of(Cause cause) {
  if (cause == Cause::none_reached) return "none";
  std::string words(name(cause));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string signed_percent(double ratio) {
  return (ratio < 0 ? "-" : "+") + show_percent(ratio < 0 ? -ratio : ratio);
}

std::string intensity_of(const Point& point) {
  if (!point.intensity || point.flops <= Flops(0)) return kNone;
  return show_number(point.intensity->value());
}

// What it is and where its data lies, in few columns.
std::string label_of(const Point& point) {
  std::vector<std::string> parts = {point.name};
  if (!point.dtype.empty()) parts.push_back(point.dtype);
  return join(parts, " ");
}

std::string error_of(const Point& point) {
  const auto error = point.error_ratio();
  if (!error) return kNone;
  if (point.repeat) return "repeat";
  return (point.disturbed.empty() ? "" : "~") + signed_percent(*error);
}

const char kMarkers[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// A marker for each kind of work; its points lie at the sizes it was measured at.
std::vector<Chart::Series> markers_of(const std::vector<Point>& points) {
  std::vector<Chart::Series> series;
  for (const Point& point : points) {
    const auto rate = point.rate();
    if (!rate || !point.intensity) continue;
    const std::string name = label_of(point);
    auto same = std::find_if(series.begin(), series.end(),
                             [&name](const Chart::Series& s) { return s.name == name; });
    if (same == series.end()) {
      const char marker = kMarkers[series.size() % (sizeof(kMarkers) - 1)];
      same = series.insert(series.end(), {name, false, marker, {}});
    }
    same->points.emplace_back(point.intensity->value(), rate->value.value());
  }
  return series;
}

}  // namespace

Table points_table(const std::vector<Point>& points) {
  const bool predicted =
      std::any_of(points.begin(), points.end(), [](const Point& point) { return point.predicted; });
  Table table;
  table.columns = {{"work", false}, {"in", false}, {"flop/B", true}};
  if (predicted) table.columns.push_back({"predicted", true});
  table.columns.push_back({"took", true});
  if (predicted) table.columns.push_back({"error", true});
  table.columns.push_back({"roof", true});
  table.columns.push_back({"bound by", false});
  for (const Point& point : points) {
    std::vector<std::string> row = {label_of(point), point.memory, intensity_of(point)};
    if (predicted) row.push_back(point.predicted ? show(point.predicted->value) : kNone);
    row.push_back(point.time ? show(point.time->value) : kNone);
    if (predicted) row.push_back(error_of(point));
    const auto share = point.share_of_roof();
    row.push_back(share ? show_percent(share->value) : kNone);
    row.push_back(point.verdict ? words_of(point.verdict->bound_by) : kNone);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Chart points_chart(const DrawnRoof& roof, const std::vector<Point>& points,
                   const std::string& title) {
  const std::vector<Chart::Series> markers = markers_of(points);
  std::vector<double> intensities;
  for (const Chart::Series& series : markers) {
    for (const auto& [intensity, rate] : series.points) intensities.push_back(intensity);
  }
  Chart chart = roof_chart(roof, title, intensities);
  if (chart.series.empty()) return chart;
  chart.series.insert(chart.series.end(), markers.begin(), markers.end());
  return chart;
}

void add_predictions(Document& document, const PredictionSummary& summary) {
  std::string worst =
      format("The worst is {} ({})", summary.worst, signed_percent(summary.worst_error_ratio));
  if (!summary.worst_why.empty()) worst += ": " + summary.worst_why;
  document.blocks.push_back(Paragraph{
      format(
          "Predicted from the ceilings and then measured: {}. The middle error is {}, and {} lie "
          "inside their interval. {}.",
          counted(summary.compared, "point", "points"), show_percent(summary.median_error_ratio),
          summary.covered, worst),
      false});
  std::vector<std::string> left_out;
  if (summary.repeats > 0) {
    left_out.push_back(counted(summary.repeats,
                               "point that only repeats the measurement of a ceiling",
                               "points that only repeat the measurement of a ceiling"));
  }
  if (summary.disturbed > 0) {
    left_out.push_back(counted(summary.disturbed, "point that was disturbed (~) each time",
                               "points that were disturbed (~) each time"));
  }
  if (left_out.empty()) return;
  document.blocks.push_back(Paragraph{"Left out of that: " + join(left_out, ", ") + ".", false});
}

Document document(const PointsAnswer& answer) {
  Document document;
  const bool own = answer.command == "place";  // then nobody asks how well it was predicted
  document.title = own ? "Your work under the roof" : "Kernels under the roof";
  const std::string threads =
      answer.device.kind == "gpu"
          ? ""
          : format("with {} ", counted(answer.threads, "thread", "threads"));
  document.blocks.push_back(
      Paragraph{format("{} {}on {} ({}).",
                       counted(static_cast<std::int64_t>(answer.points.size()), "piece of work",
                               "pieces of work"),
                       threads, answer.device.id, answer.device.name),
                false});
  if (answer.points.size() == 1 && answer.points.front().verdict) {
    add_verdict_sentence(document, *answer.points.front().verdict);
  }
  document.blocks.push_back(points_table(answer.points));
  if (answer.predictions && !own) add_predictions(document, *answer.predictions);
  if (!answer.remarks.empty()) document.blocks.push_back(Bullets{answer.remarks});
  Chart chart = points_chart(answer.roof, answer.points,
                             "The roof, and where the work lies: its height is what is possible");
  if (!chart.series.empty()) document.blocks.push_back(std::move(chart));
  if (answer.points.size() == 1 && answer.points.front().verdict) {
    add_reasons_and_remedies(document, *answer.points.front().verdict);
  }
  add_state(document, answer.state);
  return document;
}

}  // namespace roofbeam
