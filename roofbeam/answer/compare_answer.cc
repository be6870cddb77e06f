// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/compare_answer.h"

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {
namespace {

Json to_json(const CompareAnswer::Side& side) {
  return Json::object({{"source", side.source}, {"kind", side.kind}, {"name", side.name}});
}

CompareAnswer::Side read_side(JsonReader& parent, std::string_view key) {
  JsonReader reader(parent.value(key), parent.path_of(key));
  CompareAnswer::Side side{reader.text("source"), reader.text("kind"), reader.text("name")};
  if (const Error* error = reader.error()) keep_error(parent, *error);
  return side;
}

Json to_json(const Difference& row) {
  return Json::object({{"name", row.name},
                       {"unit", row.unit},
                       {"a", roofbeam::to_json(row.a)},
                       {"b", roofbeam::to_json(row.b)},
                       {"gain_ratio", roofbeam::to_json(row.gain)},
                       {"differs", row.differs},
                       {"doubt", row.doubt}});
}

Difference row_from(JsonReader& reader) {
  Difference row;
  row.name = reader.text("name");
  row.unit = reader.text("unit");
  if (row.unit != "flop_per_s" && row.unit != "bytes_per_s" && row.unit != "s") {
    reader.reject("unit", format("\"{}\" is no unit of a figure", row.unit));
  }
  row.a = read_estimate(reader, "a");
  row.b = read_estimate(reader, "b");
  row.gain = read_estimate(reader, "gain_ratio");
  row.differs = read_boolean(reader, "differs");
  row.doubt = reader.text("doubt");
  return row;
}

Json to_json(const std::vector<Diff::Only>& only) {
  Json json = Json::array();
  for (const auto& one : only) json.push(Json::object({{"name", one.name}, {"why", one.why}}));
  return json;
}

Diff::Only only_from(JsonReader& reader) {
  return {reader.text("name"), reader.text("why")};
}

Diff::Condition condition_from(JsonReader& reader) {
  return {reader.text("what"), reader.text("a"), reader.text("b")};
}

Json to_json(const Threshold& threshold) {
  Json json = Json::object({{"fail_below_ratio", threshold.least}, {"met", Json()}});
  if (threshold.met) {
    json.set("met", *threshold.met);
  } else {
    json.set("met_reason", "an interval reaches across the threshold, or there is none");
  }
  json.set("worst", threshold.worst);
  if (!threshold.worst.empty()) json.set("gain_ratio", roofbeam::to_json(threshold.gain));
  return json;
}

Threshold read_threshold(JsonReader& parent) {
  JsonReader reader(parent.value("threshold"), parent.path_of("threshold"));
  Threshold threshold;
  threshold.least = read_not_negative(reader, "fail_below_ratio");
  if (reader.has("met")) threshold.met = read_boolean(reader, "met");
  threshold.worst = reader.text("worst");
  if (!threshold.worst.empty()) {
    threshold.gain = read_estimate(reader, "gain_ratio");
  } else if (reader.has("gain_ratio")) {
    reader.reject("worst", "empty, and yet there is its gain");
  }
  if (const Error* error = reader.error()) keep_error(parent, *error);
  return threshold;
}

}  // namespace

Json to_json(const CompareAnswer& answer) {
  Json json = answer_head("compare");
  json.set("a", to_json(answer.a));
  json.set("b", to_json(answer.b));
  Json rows = Json::array();
  for (const Difference& row : answer.rows) rows.push(to_json(row));
  json.set("rows", rows);
  json.set("compared", answer.compared);
  json.set("differing", answer.differing);
  json.set("only_in_a", to_json(answer.only_a));
  json.set("only_in_b", to_json(answer.only_b));
  Json conditions = Json::array();
  for (const auto& one : answer.conditions) {
    conditions.push(Json::object({{"what", one.what}, {"a", one.a}, {"b", one.b}}));
  }
  json.set("conditions", conditions);
  if (answer.threshold) json.set("threshold", to_json(*answer.threshold));
  add_state(json, answer.state);
  return json;
}

Result<CompareAnswer> compare_answer_from(const Json& json, const std::string& where) {
  if (auto head = check_answer_head(json, "compare", where); !head) return fail(head.error());
  JsonReader reader(json, where);
  CompareAnswer answer;
  answer.a = read_side(reader, "a");
  answer.b = read_side(reader, "b");
  answer.rows = read_list(reader, "rows", row_from);
  answer.compared = read_count(reader, "compared", 0);
  answer.differing = read_count(reader, "differing", 0);
  answer.only_a = read_list(reader, "only_in_a", only_from);
  answer.only_b = read_list(reader, "only_in_b", only_from);
  answer.conditions = read_list(reader, "conditions", condition_from);
  if (reader.has("threshold")) answer.threshold = read_threshold(reader);
  answer.state = answer_state_from(reader);
  if (const Error* error = reader.error()) return fail(*error);
  return answer;
}

}  // namespace roofbeam
