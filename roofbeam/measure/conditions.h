// SPDX-License-Identifier: Apache-2.0
// What a measurement ran under, from the device's state before and after, and what that does to its
// standing. Pure.
#pragma once

#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/base/standing.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// The clock is that of `after`: the lowest its reader saw since `before`.
Conditions conditions_between(const DeviceState& before, const DeviceState& after,
                              const Placement& placement);

// A CPU that lost more than this share of its time was taken.
constexpr double kTakenShare = 0.02;

// The largest share of `ran_s` that a worker lost; 0 where it is not known.
double most_lost(const std::vector<double>& lost_s, double ran_s);
// The CPUs that were taken from their workers, in the placement's order.
std::vector<Conditions::Taken> taken_between(const std::vector<double>& lost_s, double ran_s,
                                             const Placement& placement);

// One warning for each thing that disturbed the measurement, empty in quiet. Their codes:
// neighbour (CPUs taken beyond what steal and throttling explain; where none is known, over 5 % of
// the cores), steal (over 1 %), throttled (over 1 %), clock (under 0.97).
Warnings disturbances(const Conditions& conditions);

}  // namespace roofbeam
