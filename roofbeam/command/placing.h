// SPDX-License-Identifier: Apache-2.0
// Work under a device's roof: which ceilings count for it, what they let expect, what binds it.
// Every command that places work does it here. Pure: ceilings come from a profile.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roofbeam/answer/point.h"
#include "roofbeam/answer/points_answer.h"
#include "roofbeam/base/standing.h"
#include "roofbeam/breakdown/breakdown.h"
#include "roofbeam/command/ground.h"
#include "roofbeam/profile/lookup.h"
#include "roofbeam/profile/machine_profile.h"
#include "roofbeam/workload/workload.h"

namespace roofbeam {

struct Placed {
  Point point;
  std::optional<Breakdown> expected;  // what the prediction is the total of
  std::vector<Found> used;            // the ceilings that count, as they were found
  std::set<std::string> ceilings;     // their names in the profile: of a mix, of what it is mixed
  Warnings warnings;                  // fell_back, ceiling_degraded: what is to be said of those
};

// The point of one execution of `operation` by `workers` workers: predicted and, where it was
// observed, judged. `disturbances` are what else went on meanwhile (measure/conditions.h).
//
// The bound is max(arithmetic, bytes of each memory from the one that holds the footprint inwards):
// work that is faster than one of these memories allows was served from the next one inward, and
// that is said; only faster than the innermost, or than the arithmetic of the instructions it used,
// is above its ceiling (standing invalid). Where the instructions are not known the arithmetic is
// that of multiply-adds, and of `any` for work that is faster.
//
// The prediction is the same from sustained rates, with waiting loads at their latency beside it
// and wrong guesses after it.
//
// Errors: a profile without an arithmetic ceiling for work that has flops, or without the memory
// that holds the footprint for work that has bytes; neither flops nor bytes.
Result<Placed> place_operation(const Operation& operation,
                               const std::optional<Estimate<Seconds>>& observed,
                               const DeviceProfile& profile, int workers,
                               const Warnings& disturbances = {});

// Ceilings that were used, by name, and as answers list them.
using UsedCeilings = std::map<std::string, Found>;
// Adds a judged point to the answer, with the warnings that are not told yet: each leaves it
// degraded.
void keep_point(PointsAnswer& answer, UsedCeilings& used, Placed placed);
void keep_used(UsedCeilings& all, const std::vector<Found>& used);
std::vector<NamedCeiling> named_ceilings(const UsedCeilings& used);

}  // namespace roofbeam
