// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/conditions.h"

#include <algorithm>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr double kNeighbourShare = 0.05;
constexpr double kStealShare = 0.01;
constexpr double kThrottledShare = 0.01;
constexpr double kClockRatio = 0.97;

// The share of `seconds` that passed between two cumulative readings; absent where either is.
std::optional<double> share(const std::optional<double>& before, const std::optional<double>& after,
                            double seconds) {
  if (!before || !after || seconds <= 0) return std::nullopt;
  return std::max(0.0, *after - *before) / seconds;
}

}  // namespace

Conditions conditions_between(const DeviceState& before, const DeviceState& after,
                              const Placement& placement) {
  Conditions conditions;
  conditions.cpus = placement.cpus;
  const double wall = 1e-9 * static_cast<double>(after.at_ns - before.at_ns);
  const double core_seconds = wall * placement.threads();
  const auto busy = share(before.busy_s, after.busy_s, wall);
  const auto own = share(before.own_s, after.own_s, wall);
  if (busy && own) conditions.neighbour_cpus = std::max(0.0, *busy - *own);
  conditions.steal_share = share(before.steal_s, after.steal_s, core_seconds);
  // The kernel adds a stop up on every CPU it stopped.
  conditions.throttled_share = share(before.throttled_s, after.throttled_s, core_seconds);
  if (conditions.throttled_share) {
    conditions.throttled_share = std::min(1.0, *conditions.throttled_share);
  }
  conditions.clock_ratio = after.clock_ratio;
  return conditions;
}

Warnings disturbances(const Conditions& conditions) {
  Warnings found;
  const double cores = static_cast<double>(std::max<std::size_t>(1, conditions.cpus.size()));
  if (conditions.neighbour_cpus.value_or(0) > kNeighbourShare * cores) {
    found.push_back({"neighbour", format("other processes took {:.2f} of {} {} meanwhile",
                                         *conditions.neighbour_cpus, show_number(cores),
                                         cores == 1 ? "core" : "cores")});
  }
  if (conditions.steal_share.value_or(0) > kStealShare) {
    found.push_back({"steal", format("the hypervisor took {} of these cores' time",
                                     show_percent(*conditions.steal_share))});
  }
  if (conditions.throttled_share.value_or(0) > kThrottledShare) {
    found.push_back({"throttled", format("a CPU quota stopped this process for {} of the time",
                                         show_percent(*conditions.throttled_share))});
  }
  if (conditions.clock_ratio.value_or(1) < kClockRatio) {
    found.push_back({"clock", format("the device held its clock down to {} of normal",
                                     show_percent(*conditions.clock_ratio))});
  }
  return found;
}

}  // namespace roofbeam
