// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/amdahl_answer.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

using Row = AmdahlAnswer::Row;

// By columns: a picture has many points.
Json curve_json(const std::vector<Row>& curve) {
  Json n = Json::array();
  Json speedup = Json::array();
  for (const Row& row : curve) {
    n.push(row.n);
    speedup.push(row.speedup);
  }
  return Json::object(
      {{"p", curve.empty() ? 0.0 : curve.front().p}, {"n", n}, {"speedup_ratio", speedup}});
}

double read_share(JsonReader& reader, std::string_view key) {
  const double share = reader.number(key);
  if (!(share >= 0 && share <= 1)) reader.reject(key, "expected a share from 0 to 1");
  return share;
}

Row row_from(JsonReader& reader) {
  Row row{read_share(reader, "p"), reader.number("n"), read_not_negative(reader, "speedup_ratio")};
  if (row.n < 1) reader.reject("n", "must not be below 1");
  return row;
}

AmdahlAnswer::Limit limit_from(JsonReader& reader) {
  return {read_share(reader, "p"), read_not_negative_or_null(reader, "limit_ratio")};
}

std::vector<double> read_column(JsonReader& reader, std::string_view key, double least) {
  std::vector<double> column;
  for (const Json& item : reader.items(key)) {
    const std::string place = format("{}[{}]", key, column.size());
    const Json cell = Json::object({{place, item}});
    JsonReader number(cell, "");
    column.push_back(number.number(place));
    if (number.error() != nullptr || column.back() < least) {
      reader.reject(place, format("expected a number of at least {}", least));
    }
  }
  return column;
}

std::vector<Row> curve_from(JsonReader& reader) {
  const double p = read_share(reader, "p");
  const std::vector<double> n = read_column(reader, "n", 1);
  const std::vector<double> speedup = read_column(reader, "speedup_ratio", 0);
  if (n.size() != speedup.size()) reader.reject("speedup_ratio", "not as many as \"n\" has");
  std::vector<Row> curve;
  for (std::size_t i = 0; i < n.size() && reader.error() == nullptr; ++i) {
    curve.push_back({p, n[i], speedup[i]});
  }
  return curve;
}

}  // namespace

Json to_json(const AmdahlAnswer& answer) {
  const bool gustafson = answer.law == AmdahlAnswer::Law::gustafson;
  Json rows = Json::array();
  for (const AmdahlAnswer::Row& row : answer.rows) {
    rows.push(Json::object({{"p", row.p}, {"n", row.n}, {"speedup_ratio", row.speedup}}));
  }
  Json limits = Json::array();
  for (const AmdahlAnswer::Limit& limit : answer.limits) {
    Json entry = Json::object({{"p", limit.p}, {"limit_ratio", Json()}});
    if (limit.limit) {
      entry.set("limit_ratio", *limit.limit);
    } else {
      entry.set("limit_ratio_reason", gustafson
                                          ? "the problem grows with the workers: there is no limit"
                                          : "nothing is serial, so there is no limit");
    }
    limits.push(entry);
  }
  Json json = answer_head("amdahl");
  json.set("law", gustafson ? "gustafson" : "amdahl");
  json.set("rows", rows);
  json.set("limits", limits);
  Json curves = Json::array();
  for (const auto& curve : answer.curves) curves.push(curve_json(curve));
  if (!answer.curves.empty()) json.set("curves", curves);
  return json;
}

Result<AmdahlAnswer> amdahl_from(const Json& json, const std::string& where) {
  if (auto head = check_answer_head(json, "amdahl", where); !head) return fail(head.error());
  JsonReader reader(json, where);
  AmdahlAnswer answer;
  const std::string law = reader.text("law");
  if (law != "amdahl" && law != "gustafson") reader.reject("law", format("\"{}\" is no law", law));
  if (law == "gustafson") answer.law = AmdahlAnswer::Law::gustafson;
  answer.rows = read_list(reader, "rows", row_from);
  answer.limits = read_list(reader, "limits", limit_from);
  if (reader.has("curves")) answer.curves = read_list(reader, "curves", curve_from);
  if (const Error* error = reader.error()) return fail(*error);
  return answer;
}

}  // namespace roofbeam
