// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/points_answer.h"

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

void add_ceilings(Json& json, const std::vector<PointsAnswer::NamedCeiling>& ceilings) {
  Json object = Json::object();
  for (const auto& ceiling : ceilings) {
    Json entry = to_json(ceiling.value);
    entry.set("unit", ceiling.unit);
    object.set(ceiling.name, entry);
  }
  json.set("ceilings", object);
}

std::vector<PointsAnswer::NamedCeiling> read_ceilings(JsonReader& parent) {
  std::vector<PointsAnswer::NamedCeiling> ceilings;
  JsonReader table(parent.value("ceilings"), parent.path_of("ceilings"));
  for (const auto& [name, member] : parent.members("ceilings")) {
    JsonReader reader(member, table.path_of(name));
    ceilings.push_back({name, reader.text("unit"), read_estimate(table, name)});
    const std::string& unit = ceilings.back().unit;
    if (unit != "flop_per_s" && unit != "bytes_per_s" && unit != "s") {
      reader.reject("unit", format("\"{}\" is no unit of a ceiling", unit));
    }
    if (const Error* error = reader.error()) keep_error(table, *error);
  }
  if (const Error* error = table.error()) keep_error(parent, *error);
  return ceilings;
}

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
  answer.ceilings = read_ceilings(reader);
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
