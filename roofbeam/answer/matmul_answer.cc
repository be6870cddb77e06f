// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/matmul_answer.h"

#include <algorithm>
#include <cstddef>

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

Json check_of(const MatmulPoint& point) {
  Json check = Json::object({{"passed", Json()}, {"how", point.check_how}});
  if (point.check_passed) {
    check.set("passed", *point.check_passed);
  } else {
    check.set("passed_reason", point.check_how);
  }
  return check;
}

Json to_json(const MatmulPoint& point) {
  return Json::object({
      {"m", point.m},
      {"n", point.n},
      {"k", point.k},
      {"dtype", point.dtype},
      {"device", point.device},
      {"library", point.library},
      {"threads", point.threads},
      {"reps", point.reps},
      {"rounds", point.rounds},
      {"rows_computed", point.rows},
      {"operands", point.constant ? "constant" : "random"},
      {"time_s", roofbeam::to_json(point.time)},
      {"flop_per_s", roofbeam::to_json(point.rate)},
      {"ceiling", point.ceiling},
      {"share_of_ceiling_ratio", roofbeam::to_json(point.share_of_ceiling)},
      {"intensity_flop_per_byte", point.intensity.value()},
      {"bound_by", name(point.bound_by)},
      {"check", check_of(point)},
  });
}

Json to_json(const MatmulAnswer::Tried& tried) {
  Json json = Json::object({{"library", tried.library}, {"flop_per_s", Json()}});
  if (!tried.setting.empty()) json.set("setting", tried.setting);
  if (tried.rate) {
    json.set("flop_per_s", tried.rate->value());
  } else {
    json.set("flop_per_s_reason", tried.why_not);
  }
  return json;
}

std::int64_t read_size(JsonReader& reader, std::string_view key) {
  const std::int64_t size = reader.integer(key);
  if (size < 1) reader.reject(key, "must not be below 1");
  return size;
}

void read_check(JsonReader& parent, MatmulPoint& point) {
  JsonReader reader(parent.value("check"), parent.path_of("check"));
  point.check_how = reader.text("how");
  if (reader.has("passed")) point.check_passed = read_boolean(reader, "passed");
  if (const Error* error = reader.error()) keep_error(parent, *error);
}

MatmulPoint point_from(JsonReader& reader) {
  MatmulPoint point;
  point.m = read_size(reader, "m");
  point.n = read_size(reader, "n");
  point.k = read_size(reader, "k");
  point.dtype = reader.text("dtype");
  point.device = reader.text("device");
  point.library = reader.text("library");
  point.threads = read_count(reader, "threads", 1);
  point.reps = read_count(reader, "reps", 0);
  point.rounds = read_count(reader, "rounds", 0);
  // Before it was told, whole products stood beside the warning partial_rows.
  point.rows = reader.has("rows_computed") ? read_size(reader, "rows_computed") : point.m;
  const std::string operands = reader.text("operands");
  if (operands != "constant" && operands != "random") {
    reader.reject("operands", format("\"{}\" is neither constant nor random", operands));
  }
  point.constant = operands == "constant";
  point.time = as<Seconds>(read_estimate(reader, "time_s"));
  point.rate = as<FlopRate>(read_estimate(reader, "flop_per_s"));
  point.ceiling = reader.text("ceiling");
  point.share_of_ceiling = read_estimate(reader, "share_of_ceiling_ratio");
  point.intensity = Intensity(read_not_negative(reader, "intensity_flop_per_byte"));
  point.bound_by = read_cause(reader, "bound_by");
  read_check(reader, point);
  return point;
}

MatmulAnswer::Tried tried_from(JsonReader& reader) {
  MatmulAnswer::Tried tried;
  tried.library = reader.text("library");
  tried.setting = reader.text_or("setting", "");
  if (auto rate = read_not_negative_or_null(reader, "flop_per_s")) {
    tried.rate = FlopRate(*rate);
  } else {
    tried.why_not = reader.text("flop_per_s_reason");
  }
  return tried;
}

MatmulAnswer::Speedup speedup_from(JsonReader& reader) {
  return {read_count(reader, "from", 0), read_count(reader, "to", 0),
          read_estimate(reader, "speedup_ratio")};
}

// Places in `points` that it does not have.
void check_places(JsonReader& reader, const MatmulAnswer& answer) {
  const auto beyond = [&](int place) {
    return std::cmp_greater_equal(place, std::max<std::size_t>(answer.points.size(), 1));
  };
  if (beyond(answer.judged)) reader.reject("verdict_of", "no such place in points");
  for (const auto& speedup : answer.speedups) {
    if (beyond(speedup.from) || beyond(speedup.to)) {
      reader.reject("speedups", "no such place in points");
    }
  }
}

std::pair<double, double> corner_from(JsonReader& reader) {
  return {read_not_negative(reader, "intensity_flop_per_byte"),
          read_not_negative(reader, "flop_per_s")};
}

}  // namespace

Json to_json(const MatmulAnswer& answer) {
  Json json = answer_head("matmul");
  json.set("device", to_json(answer.device));
  Json points = Json::array();
  for (const MatmulPoint& point : answer.points) points.push(to_json(point));
  Json roof_line = Json::array();
  for (const auto& [intensity, rate] : answer.roof_line) {
    roof_line.push(Json::object({{"intensity_flop_per_byte", intensity}, {"flop_per_s", rate}}));
  }
  Json tried = Json::array();
  for (const auto& entry : answer.tried) tried.push(to_json(entry));
  json.set("points", points);
  if (answer.points.size() > 1) json.set("verdict_of", answer.judged);
  if (!answer.speedups.empty()) {
    Json speedups = Json::array();
    for (const auto& [from, to, ratio] : answer.speedups) {
      speedups.push(Json::object({{"from", from}, {"to", to}, {"speedup_ratio", to_json(ratio)}}));
    }
    json.set("speedups", speedups);
  }
  if (!answer.remarks.empty()) {
    Json remarks = Json::array();
    for (const std::string& remark : answer.remarks) remarks.push(remark);
    json.set("remarks", remarks);
  }
  add_ceilings(json, answer.ceilings);
  if (!answer.roof_line.empty()) json.set("roof_line", roof_line);
  json.set("tried", tried);
  if (!answer.looked_at.empty()) {
    Json looked_at = Json::array();
    for (const auto& entry : answer.looked_at) looked_at.push(to_json(entry));
    json.set("looked_at", looked_at);
  }
  json.set("verdict", to_json(answer.verdict));
  add_state(json, answer.state);
  return json;
}

Result<MatmulAnswer> matmul_answer_from(const Json& json, const std::string& where) {
  if (auto head = check_answer_head(json, "matmul", where); !head) return fail(head.error());
  JsonReader reader(json, where);
  MatmulAnswer answer;
  JsonReader device(reader.value("device"), reader.path_of("device"));
  answer.device = device_facts_from(device);
  if (const Error* error = device.error()) keep_error(reader, *error);
  answer.points = read_list(reader, "points", point_from);
  if (reader.has("verdict_of")) answer.judged = read_count(reader, "verdict_of", 0);
  if (reader.has("speedups")) answer.speedups = read_list(reader, "speedups", speedup_from);
  if (reader.has("remarks")) answer.remarks = read_texts(reader, "remarks");
  answer.ceilings = read_ceilings(reader, {"flop_per_s", "bytes_per_s"});
  if (reader.has("roof_line")) answer.roof_line = read_list(reader, "roof_line", corner_from);
  answer.tried = read_list(reader, "tried", tried_from);
  if (reader.has("looked_at")) answer.looked_at = read_list(reader, "looked_at", tried_from);
  answer.verdict =
      read_part(reader, verdict_from(reader.value("verdict"), reader.path_of("verdict")));
  answer.state = answer_state_from(reader);
  check_places(reader, answer);
  if (const Error* error = reader.error()) return fail(*error);
  return answer;
}

}  // namespace roofbeam
