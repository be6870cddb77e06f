// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

std::string rate_of(const MatmulAnswer::NamedCeiling& ceiling, double value) {
  return show_si(value, ceiling.unit == "flop_per_s" ? "FLOP/s" : "B/s");
}

Paragraph summary(const MatmulAnswer& answer, const MatmulPoint& point) {
  return {
      format("({} x {}) times ({} x {}) in {}: {} independent dot products of length {}, by {} "
             "with {} on {} ({}).",
             point.m, point.k, point.k, point.n, point.dtype,
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

Chart picture(const MatmulAnswer& answer) {
  Chart chart;
  chart.title = "The roof of this machine, and where this product lies";
  chart.x_label = "arithmetic intensity (flop/byte)";
  chart.y_label = "rate";
  chart.y_unit = "FLOP/s";
  chart.log_x = true;
  chart.log_y = true;
  chart.series.push_back({"roof", true, '-', answer.roof_line});
  for (const MatmulPoint& point : answer.points) {
    chart.series.push_back({format("{} {}, n = {}", point.library, point.dtype, point.n),
                            false,
                            'X',
                            {{point.intensity.value(), point.rate.value.value()}}});
  }
  return chart;
}

std::string check_of(const MatmulPoint& point) {
  if (!point.check_passed) return point.check_how;
  return format("{} ({})", *point.check_passed ? "right" : "WRONG", point.check_how);
}

std::string tried_of(const MatmulAnswer& answer) {
  std::vector<std::string> parts;
  for (const auto& tried : answer.tried) {
    parts.push_back(tried.rate ? format("{} {}", tried.library, show(*tried.rate))
                               : format("{} gave none ({})", tried.library, tried.why_not));
  }
  return join(parts, ", ");
}

}  // namespace

Document document(const MatmulAnswer& answer) {
  Document document;
  document.title = "Matrix product";
  for (const MatmulPoint& point : answer.points) {
    document.blocks.push_back(summary(answer, point));
    add_verdict_sentence(document, answer.verdict);
    document.blocks.push_back(figures(answer, point));
    document.blocks.push_back(Paragraph{format("The result was {}.", check_of(point)), false});
  }
  if (!answer.tried.empty()) {
    document.blocks.push_back(
        Paragraph{"Tried on a smaller product for the choice: " + tried_of(answer) + ".", false});
  }
  if (!answer.roof_line.empty()) document.blocks.push_back(picture(answer));
  add_reasons_and_remedies(document, answer.verdict);
  add_state(document, answer.state);
  return document;
}

}  // namespace roofbeam
