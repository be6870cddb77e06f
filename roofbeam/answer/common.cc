// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/common.h"

#include <algorithm>

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"
#include "roofbeam/base/version.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

Json to_json(const DeviceFacts& device) {
  return Json::object({{"id", device.id},
                       {"kind", device.kind},
                       {"name", device.name},
                       {"cores_usable", device.cores_usable},
                       {"cores_bound_by", device.cores_bound_by}});
}

DeviceFacts device_facts_from(JsonReader& reader) {
  DeviceFacts device;
  device.id = reader.text("id");
  device.kind = reader.text("kind");
  device.name = reader.text("name");
  device.cores_usable = read_count(reader, "cores_usable", 1);
  device.cores_bound_by = reader.text("cores_bound_by");
  return device;
}

Json answer_head(const std::string& command) {
  return Json::object({{"schema", "roofbeam." + command + "/1"}, {"roofbeam", version()}});
}

Status check_answer_head(const Json& json, const std::string& command, const std::string& where) {
  if (auto schema = check_schema(json, command, 1, where); !schema) return schema;
  JsonReader reader(json, where);
  reader.text("roofbeam");
  return reader.status();
}

void add_ceilings(Json& json, const std::vector<NamedCeiling>& ceilings) {
  Json object = Json::object();
  for (const NamedCeiling& ceiling : ceilings) {
    Json entry = to_json(ceiling.value);
    entry.set("unit", ceiling.unit);
    object.set(ceiling.name, entry);
  }
  json.set("ceilings", object);
}

std::vector<NamedCeiling> read_ceilings(JsonReader& parent,
                                        const std::vector<std::string_view>& units) {
  std::vector<NamedCeiling> ceilings;
  JsonReader table(parent.value("ceilings"), parent.path_of("ceilings"));
  for (const auto& [name, member] : parent.members("ceilings")) {
    JsonReader reader(member, table.path_of(name));
    ceilings.push_back({name, reader.text("unit"), read_estimate(table, name)});
    const std::string& unit = ceilings.back().unit;
    if (std::find(units.begin(), units.end(), unit) == units.end()) {
      reader.reject("unit", format("\"{}\" is no unit of a ceiling", unit));
    }
    if (const Error* error = reader.error()) keep_error(table, *error);
  }
  if (const Error* error = table.error()) keep_error(parent, *error);
  return ceilings;
}

void add_state(Json& json, const AnswerState& state) {
  json.set("standing", name(state.standing));
  json.set("warnings", to_json(state.warnings));
  json.set("complete", state.complete);
}

AnswerState answer_state_from(JsonReader& reader) {
  AnswerState state;
  state.standing = read_standing(reader, "standing");
  state.warnings =
      read_part(reader, warnings_from(reader.value("warnings"), reader.path_of("warnings")));
  state.complete = read_boolean(reader, "complete");
  return state;
}

}  // namespace roofbeam
