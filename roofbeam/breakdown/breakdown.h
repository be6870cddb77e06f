// SPDX-License-Identifier: Apache-2.0
// Where the time of a workload goes, as a small tree: leaves are charges of seconds against a
// ceiling, inner nodes add their parts (one after another) or take the largest (at the same time).
#pragma once

#include <string>
#include <vector>

#include "roofbeam/base/cause.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/units.h"
#include "roofbeam/stats/estimate.h"

namespace roofbeam {

struct Breakdown {
  enum class Kind { charge, sum, max };

  Kind kind = Kind::charge;
  std::string name;            // what it is, for people: "arithmetic", "bytes of dram"
  Cause cause = Cause::other;  // of a charge
  std::string ceiling;  // of a charge: the canonical name of what it stands on; charges of one add
  Estimate<Seconds> time;        // of a charge
  std::vector<Breakdown> parts;  // of a sum or max, at least one

  bool operator==(const Breakdown&) const = default;
};

Breakdown charge(std::string name, Cause cause, std::string ceiling, Estimate<Seconds> time);
Breakdown sum_of(std::string name, std::vector<Breakdown> parts);
Breakdown max_of(std::string name, std::vector<Breakdown> parts);

Json to_json(const Breakdown& breakdown);
Result<Breakdown> breakdown_from(const Json& json, const std::string& where);

}  // namespace roofbeam
