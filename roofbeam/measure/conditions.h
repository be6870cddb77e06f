// SPDX-License-Identifier: Apache-2.0
// What a measurement ran under, from the device's state before and after, and what that does to its
// standing. Pure.
#pragma once

#include "roofbeam/backend/backend.h"
#include "roofbeam/base/standing.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// The clock is that of `after`: the lowest its reader saw since `before`.
Conditions conditions_between(const DeviceState& before, const DeviceState& after,
                              const Placement& placement);

// One warning for each thing that disturbed the measurement, empty in quiet. Their codes:
// neighbour (over 5 % of the cores), steal (over 1 %), throttled (over 1 %), clock (under 0.97).
Warnings disturbances(const Conditions& conditions);

}  // namespace roofbeam
