// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/tour_answer.h"

#include <utility>

#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

TourAnswer::WhatIf what_if_from(JsonReader& reader) {
  return {reader.text("work"), read_estimate(reader, "bandwidth_gain_ratio"),
          read_estimate(reader, "arithmetic_gain_ratio")};
}

}  // namespace

Json to_json(const TourAnswer& answer) {
  Json json = to_json(answer.placed);
  Json what_if = Json::array();
  for (const TourAnswer::WhatIf& row : answer.what_if) {
    what_if.push(Json::object({{"work", row.work},
                               {"bandwidth_gain_ratio", to_json(row.bandwidth_gain)},
                               {"arithmetic_gain_ratio", to_json(row.arithmetic_gain)}}));
  }
  Json beside = Json::array();
  for (const MachineAnswer::Beside& device : answer.beside) beside.push(to_json(device));
  json.set("what_if_times", answer.factor);
  json.set("what_if", what_if);
  json.set("beside", beside);
  json.set("next", Json::object({{"command", answer.next_command}, {"why", answer.next_why}}));
  return json;
}

Result<TourAnswer> tour_answer_from(const Json& json, const std::string& where) {
  auto placed = points_answer_from(json, "tour", where);
  if (!placed) return fail(placed.error());
  JsonReader reader(json, where);
  TourAnswer answer;
  answer.placed = std::move(*placed);
  answer.factor = read_not_negative(reader, "what_if_times");
  answer.what_if = read_list(reader, "what_if", what_if_from);
  answer.beside = read_list(reader, "beside", beside_from);
  JsonReader next(reader.value("next"), reader.path_of("next"));
  answer.next_command = next.text("command");
  answer.next_why = next.text("why");
  if (const Error* error = next.error()) keep_error(reader, *error);
  if (const Error* error = reader.error()) return fail(*error);
  return answer;
}

}  // namespace roofbeam
