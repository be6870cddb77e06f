// SPDX-License-Identifier: Apache-2.0
// What every answer carries: the device it is about and how far it can be trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/standing.h"
#include "roofbeam/stats/estimate.h"

namespace roofbeam {

struct DeviceFacts {
  std::string id;
  std::string kind;
  std::string name;
  int cores_usable = 1;
  std::string cores_bound_by;  // cores, affinity, cpuset or quota

  bool operator==(const DeviceFacts&) const = default;
};

struct AnswerState {
  Standing standing = Standing::usable;
  Warnings warnings;
  bool complete = true;  // false after Ctrl-C: what is there was finished before it

  bool operator==(const AnswerState&) const = default;
};

// A ceiling that an answer stands on.
struct NamedCeiling {
  std::string name;
  std::string unit;  // flop_per_s, bytes_per_s or s
  Estimate<double> value;

  bool operator==(const NamedCeiling&) const = default;
};

Json to_json(const DeviceFacts& device);
// Reads those fields; the object may have more.
DeviceFacts device_facts_from(JsonReader& reader);
// {"schema": "roofbeam.<command>/1", "roofbeam": version}
Json answer_head(const std::string& command);
// Refuses what is no answer of this command, or one of a newer schema.
Status check_answer_head(const Json& json, const std::string& command, const std::string& where);
// Under "ceilings", by their names. Reading refuses units that are not among `units`.
void add_ceilings(Json& json, const std::vector<NamedCeiling>& ceilings);
std::vector<NamedCeiling> read_ceilings(JsonReader& parent,
                                        const std::vector<std::string_view>& units);
// Adds standing, warnings and complete.
void add_state(Json& json, const AnswerState& state);
AnswerState answer_state_from(JsonReader& reader);

}  // namespace roofbeam
