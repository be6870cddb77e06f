// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

constexpr std::size_t kNamesShown = 6;

std::string shown(const Difference& row, const Estimate<double>& value) {
  return show_si(value.value, row.unit == "flop_per_s"    ? "FLOP/s"
                              : row.unit == "bytes_per_s" ? "B/s"
                                                          : "s");
}

// Small ones keep their digits.
std::string ratio(double value) {
  return value < 0.1 ? show_number(value) + "x" : show_ratio(value);
}

// Without its x, in a column that has one already.
std::string plain(double value) {
  const std::string text = ratio(value);
  return text.substr(0, text.size() - 1);
}

std::string sentence_of(const CompareAnswer& answer) {
  const int same = answer.compared - answer.differing;
  if (answer.differing == 0) {
    return answer.compared == 1 ? "The one figure both have agrees within its intervals."
                                : format("All {} figures agree within their intervals.", same);
  }
  int slower = 0;
  for (const Difference& row : answer.rows) {
    if (row.differs && row.gain.value < 1) ++slower;
  }
  std::vector<std::string> parts;
  if (slower > 0) parts.push_back(format("slower in {}", slower));
  if (answer.differing > slower) parts.push_back(format("faster in {}", answer.differing - slower));
  const std::string differ =
      format("B is {} of {}", join(parts, " and "), counted(answer.compared, "figure", "figures"));
  if (same == 0) return differ + ".";
  return format("{}; {} within their intervals.", differ,
                counted(same, "figure agrees", "figures agree"));
}

Table sides(const CompareAnswer& answer) {
  Table table;
  table.columns = {{"", false}, {"A", false}, {"B", false}};
  auto kind = [](const CompareAnswer::Side& side) {
    return side.kind == "datasheet" ? side.source + " (datasheet)" : side.source;
  };
  table.rows.push_back({"source", kind(answer.a), kind(answer.b)});
  table.rows.push_back({"device", answer.a.name, answer.b.name});
  for (const auto& condition : answer.conditions) {
    auto known = [](const std::string& text) { return text.empty() ? "unknown" : text; };
    if (condition.what == "device") continue;  // stands above
    table.rows.push_back({condition.what, known(condition.a), known(condition.b)});
  }
  return table;
}

Table rows_of(const CompareAnswer& answer) {
  Table table;
  table.columns = {{"figure", false}, {"A", true}, {"B", true}, {"gain", true}, {"between", true}};
  bool unmarked = false;
  for (const Difference& row : answer.rows) unmarked = unmarked || !row.differs;
  if (unmarked) table.columns.push_back({"", false});
  for (const Difference& row : answer.rows) {
    table.rows.push_back({row.name, shown(row, row.a), shown(row, row.b), ratio(row.gain.value),
                          format("{} to {}", plain(row.gain.low), plain(row.gain.high))});
    if (unmarked) table.rows.back().push_back(row.differs ? "differs" : "");
  }
  return table;
}

// Names that share a reason stand together.
void add_only(Document& document, const char* here, const char* there,
              const std::vector<Diff::Only>& only) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& one : only) by_reason[one.why].push_back(one.name);
  for (auto& [why, names] : by_reason) {
    const std::size_t count = names.size();
    std::string more;
    if (count > kNamesShown + 1) {
      more = format(" and {} more", count - kNamesShown);
      names.resize(kNamesShown);
    }
    const std::string reason = why.empty() ? "" : format(" ({} says: {})", there, why);
    document.blocks.push_back(
        Paragraph{format("Only in {}: {}{}{}.", here, join(names, ", "), more, reason), false});
  }
}

void add_threshold(Document& document, const CompareAnswer& answer) {
  if (!answer.threshold || !answer.threshold->met) return;  // a warning says what cannot be told
  const Threshold& held = *answer.threshold;
  document.blocks.push_back(Paragraph{
      *held.met ? format("B keeps {} of every figure of A; the least is {} with {} to {}.",
                         ratio(held.least), held.worst, ratio(held.gain.low), ratio(held.gain.high))
                : format("B does not keep {} of A: {} has {} at most.", ratio(held.least),
                         held.worst, ratio(held.gain.high)),
      true});
}

}  // namespace

Document document(const CompareAnswer& answer) {
  Document document;
  document.title = "Comparison";
  document.blocks.push_back(Paragraph{sentence_of(answer), true});
  document.blocks.push_back(sides(answer));
  if (!answer.rows.empty()) {
    document.blocks.push_back(rows_of(answer));
    document.blocks.push_back(Paragraph{
        "The gain is B / A for rates and A / B for times: above 1.00x B is better.", false});
  }
  // A data sheet states few of the figures; that it lacks the others needs no list.
  if (answer.b.kind != "datasheet") add_only(document, "A", "B", answer.only_a);
  if (answer.a.kind != "datasheet") add_only(document, "B", "A", answer.only_b);
  add_threshold(document, answer);
  add_state(document, answer.state);
  return document;
}

}  // namespace roofbeam
