// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/points_answer.h"

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

template <class T>
T read_member(JsonReader& parent, std::string_view key, T (*read)(JsonReader&)) {
  JsonReader reader(parent.value(key), parent.path_of(key));
  T value = read(reader);
  if (const Error* error = reader.error()) keep_error(parent, *error);
  return value;
}

}  // namespace

Json to_json(const PointsAnswer& answer) {
  Json json = answer_head(answer.command);
  json.set("device", to_json(answer.device));
  json.set("threads", answer.threads);
  Json points = Json::array();
  for (const Point& point : answer.points) points.push(to_json(point));
  json.set("points", points);
  add_ceilings(json, answer.ceilings);
  json.set("roof", to_json(answer.roof));
  if (answer.predictions) json.set("predictions", to_json(*answer.predictions));
  Json remarks = Json::array();
  for (const std::string& remark : answer.remarks) remarks.push(remark);
  json.set("remarks", remarks);
  add_state(json, answer.state);
  return json;
}

Result<PointsAnswer> points_answer_from(const Json& json, const std::string& command,
                                        const std::string& where) {
  if (auto head = check_answer_head(json, command, where); !head) return fail(head.error());
  JsonReader reader(json, where);
  PointsAnswer answer;
  answer.command = command;
  answer.device = read_member(reader, "device", device_facts_from);
  answer.threads = read_count(reader, "threads", 1);
  answer.points = read_list(reader, "points", point_from);
  answer.ceilings = read_ceilings(reader, {"flop_per_s", "bytes_per_s", "s"});
  answer.roof = read_member(reader, "roof", drawn_roof_from);
  if (reader.has("predictions")) {
    answer.predictions = read_member(reader, "predictions", summary_from);
  }
  answer.remarks = read_texts(reader, "remarks");
  answer.state = answer_state_from(reader);
  if (const Error* error = reader.error()) return fail(*error);
  return answer;
}

}  // namespace roofbeam
