// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

std::string rate_of(const NamedCeiling& ceiling, double value) {
  return show_si(value, ceiling.unit == "flop_per_s" ? "FLOP/s" : "B/s");
}

bool differ(const MatmulAnswer& answer, bool (*differs)(const MatmulPoint&, const MatmulPoint&)) {
  return std::any_of(answer.points.begin(), answer.points.end(), [&](const MatmulPoint& point) {
    return differs(point, answer.points.front());
  });
}
bool sizes_differ(const MatmulAnswer& answer) {
  return differ(answer, [](const auto& a, const auto& b) { return a.n != b.n; });
}
bool threads_differ(const MatmulAnswer& answer) {
  return differ(answer, [](const auto& a, const auto& b) { return a.threads != b.threads; });
}
bool libraries_differ(const MatmulAnswer& answer) {
  return differ(answer, [](const auto& a, const auto& b) { return a.library != b.library; });
}
bool operands_differ(const MatmulAnswer& answer) {
  return differ(answer, [](const auto& a, const auto& b) { return a.constant != b.constant; });
}

// What the bits of int8 are is a choice, and the result is wider.
std::string type_of(const MatmulPoint& point) {
  return point.dtype == "int8" ? "int8 (u8 times s8, summed in s32)" : point.dtype;
}

Paragraph summary(const MatmulAnswer& answer, const MatmulPoint& point) {
  return {
      format("{}({} x {}) times ({} x {}) in {}: {} independent dot products of length {}, by {} "
             "with {} on {} ({}).",
             sizes_differ(answer) ? "The largest: " : "", point.m, point.k, point.k, point.n,
             type_of(point),
             show_number(static_cast<double>(point.m) * static_cast<double>(point.n)), point.k,
             point.library, point.threads == 1 ? "1 thread" : format("{} threads", point.threads),
             answer.device.id, answer.device.name),
      false};
}

Table figures(const MatmulAnswer& answer, const MatmulPoint& point) {
  Table table;
  table.columns = {{"figure", false}, {"value", true}, {"95 % of runs", true}, {"what", false}};
  const bool known = point.time.samples > 1;  // one re-initialisation alone has no interval
  auto row = [&](const std::string& what, const std::string& value, const std::string& from,
                 const std::string& to, const std::string& remark) {
    const bool interval = known || what == "ceiling";
    table.rows.push_back({what, value, interval ? from + " to " + to : "unknown", remark});
  };
  row("time", show(point.time.value), show(point.time.low), show(point.time.high),
      format("{} of {}, {}",
             point.time.method == Method::median ? "median" : "scaled from the median",
             counted(point.rounds, "round", "rounds"), counted(point.reps, "product", "products")));
  row("rate", show(point.rate.value), show(point.rate.low), show(point.rate.high), "");
  for (const auto& ceiling : answer.ceilings) {
    row("ceiling", rate_of(ceiling, ceiling.value.value), rate_of(ceiling, ceiling.value.low),
        rate_of(ceiling, ceiling.value.high), ceiling.name);
  }
  row("share", show_percent(point.share_of_ceiling.value), show_percent(point.share_of_ceiling.low),
      show_percent(point.share_of_ceiling.high), "of " + point.ceiling);
  return table;
}

// Half of the interval's width, of the value.
std::string spread_of(const MatmulPoint& point) {
  if (point.time.samples < 2 || !(point.time.value > Seconds(0))) return "unknown";
  return show_percent((point.time.high - point.time.low) / point.time.value / 2);
}

// Several points: a column for each thing they differ in, before the figures.
Table comparison(const MatmulAnswer& answer) {
  struct Column {
    bool shown;
    Table::Column head;
    std::string (*cell)(const MatmulPoint&);
  };
  const bool partial = differ(answer, [](const auto& a, const auto&) { return a.rows < a.m; });
  const bool wrong =
      differ(answer, [](const auto& a, const auto&) { return !a.check_passed.value_or(true); });
  const std::vector<Column> columns = {
      {sizes_differ(answer), {"n", true}, [](const auto& p) { return std::to_string(p.n); }},
      {threads_differ(answer),
       {"threads", true},
       [](const auto& p) { return std::to_string(p.threads); }},
      {libraries_differ(answer), {"library", false}, [](const auto& p) { return p.library; }},
      {operands_differ(answer),
       {"operands", false},
       [](const auto& p) { return std::string(p.constant ? "constant" : "random"); }},
      {true, {"time", true}, [](const auto& p) { return show(p.time.value); }},
      {true, {"rate", true}, [](const auto& p) { return show(p.rate.value); }},
      {true, {"spread", true}, spread_of},
      {true, {"share", true}, [](const auto& p) { return show_percent(p.share_of_ceiling.value); }},
      {true, {"held back by", false}, [](const auto& p) { return std::string(name(p.bound_by)); }},
      {partial,
       {"rows", true},
       [](const auto& p) { return p.rows == p.m ? "all" : format("{} of {}", p.rows, p.m); }},
      {wrong,
       {"result", false},
       [](const auto& p) {
         return std::string(p.check_passed.value_or(true) ? "right" : "WRONG");
       }},
  };
  Table table;
  for (const Column& column : columns) {
    if (column.shown) table.columns.push_back(column.head);
  }
  for (const MatmulPoint& point : answer.points) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const Column& column : columns) {
      if (column.shown) cells.push_back(column.cell(point));
    }
  }
  return table;
}

Paragraph ceilings_of(const MatmulAnswer& answer) {
  std::vector<std::string> parts;
  for (const auto& ceiling : answer.ceilings) {
    parts.push_back(format("{} {}", ceiling.name, rate_of(ceiling, ceiling.value.value)));
  }
  return {
      format("Spread is half of where 95 % of runs fall; share is that of the arithmetic ceiling "
             "for as many threads: {}.",
             join(parts, ", ")),
      false};
}

Chart speed_over_size(const MatmulAnswer& answer) {
  Chart chart;
  chart.title = "Speed over size: a line for each number of threads";
  chart.x_label = "n";
  chart.y_label = "rate";
  chart.y_unit = "FLOP/s";
  chart.log_x = true;
  chart.log_y = true;
  for (const MatmulPoint& point : answer.points) {
    const std::string name = point.threads == 1 ? "1 thread" : format("{} threads", point.threads);
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const Chart::Series& known) { return known.name == name; });
    if (series == chart.series.end()) {
      series = chart.series.insert(chart.series.end(), {name, true, '*', {}});
    }
    series->points.emplace_back(static_cast<double>(point.n), point.rate.value.value());
  }
  return chart;
}

// Markers of points: X for a single one.
Chart picture(const MatmulAnswer& answer) {
  Chart chart;
  const bool several = answer.points.size() > 1;
  chart.title = format("The roof of this machine, and where {} lie{}",
                       several ? "these products" : "this product", several ? "" : "s");
  chart.x_label = "arithmetic intensity (flop/byte)";
  chart.y_label = "rate";
  chart.y_unit = "FLOP/s";
  chart.log_x = true;
  chart.log_y = true;
  chart.series.push_back({"roof", true, '-', answer.roof_line});
  char marker = several ? 'a' : 'X';
  for (const MatmulPoint& point : answer.points) {
    const char* operands =
        operands_differ(answer) ? point.constant ? ", constant" : ", random" : "";
    chart.series.push_back(
        {format("{} {}, n = {}{}", point.library, point.dtype, point.n, operands),
         false,
         marker,
         {{point.intensity.value(), point.rate.value.value()}}});
    if (several && marker < 'z') ++marker;
  }
  return chart;
}

std::string check_of(const MatmulPoint& point) {
  if (!point.check_passed) return point.check_how;
  return format("{} ({})", *point.check_passed ? "right" : "WRONG", point.check_how);
}

std::string list_of(const std::vector<MatmulAnswer::Tried>& list) {
  std::vector<std::string> parts;
  for (const auto& tried : list) {
    const std::string who =
        tried.setting.empty() ? tried.library : format("{} with {}", tried.library, tried.setting);
    parts.push_back(tried.rate ? format("{} {}", who, show(*tried.rate))
                               : format("{} gave none ({})", who, tried.why_not));
  }
  return join(parts, ", ");
}

// Of all points: how they were checked, and which were wrong.
Paragraph checks_of(const MatmulAnswer& answer) {
  const MatmulPoint& judged = answer.points[static_cast<std::size_t>(answer.judged)];
  if (answer.points.size() == 1) {
    return {format("The result was {}.", check_of(judged)), false};
  }
  const auto wrong =
      std::count_if(answer.points.begin(), answer.points.end(),
                    [](const MatmulPoint& point) { return !point.check_passed.value_or(true); });
  if (wrong == 0) return {format("Every result was {}.", check_of(judged)), false};
  return {format("{} of {} results {} WRONG ({}).", wrong, answer.points.size(),
                 wrong == 1 ? "was" : "were", judged.check_how),
          false};
}

void add_points(Document& document, const MatmulAnswer& answer) {
  const MatmulPoint& judged = answer.points[static_cast<std::size_t>(answer.judged)];
  document.blocks.push_back(summary(answer, judged));
  add_verdict_sentence(document, answer.verdict);
  if (answer.points.size() == 1) {
    document.blocks.push_back(figures(answer, judged));
  } else {
    document.blocks.push_back(comparison(answer));
    document.blocks.push_back(ceilings_of(answer));
  }
  document.blocks.push_back(checks_of(answer));
  if (!answer.remarks.empty()) document.blocks.push_back(Bullets{answer.remarks});
}

}  // namespace

Document document(const MatmulAnswer& answer) {
  Document document;
  document.title = "Matrix product";
  if (!answer.points.empty()) add_points(document, answer);
  if (!answer.tried.empty()) {
    const bool some = std::any_of(answer.tried.begin(), answer.tried.end(),
                                  [](const auto& tried) { return tried.rate.has_value(); });
    document.blocks.push_back(Paragraph{
        format("{}: {}.", some ? "Tried on a smaller product for the choice" : "Not there",
               list_of(answer.tried)),
        false});
  }
  if (!answer.looked_at.empty()) {
    document.blocks.push_back(
        Paragraph{format("Looked at on a smaller product for what holds it back: {}.",
                         list_of(answer.looked_at)),
                  false});
  }
  if (sizes_differ(answer)) {
    document.blocks.push_back(speed_over_size(answer));
  } else if (!answer.roof_line.empty()) {
    document.blocks.push_back(picture(answer));
  }
  add_reasons_and_remedies(document, answer.verdict);
  add_state(document, answer.state);
  return document;
}

}  // namespace roofbeam
