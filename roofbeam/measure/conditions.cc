// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/conditions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

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

constexpr std::size_t kMostNamed = 3;  // CPUs in one sentence

// The CPUs that something else took, worst first, in one sentence; empty where steal and quota
// explain it.
std::string who_was_taken(const Conditions& conditions) {
  const double explained =
      conditions.steal_share.value_or(0) + conditions.throttled_share.value_or(0);
  std::vector<Conditions::Taken> taken;
  for (const Conditions::Taken& one : conditions.taken) {
    if (one.share > kTakenShare + explained) taken.push_back(one);
  }
  if (taken.empty()) return "";
  std::stable_sort(taken.begin(), taken.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(kMostNamed, taken.size()); ++i) {
    named.push_back(format("{} of CPU {}", show_percent(taken[i].share), taken[i].cpu));
  }
  std::string text = "something else took " + join(named, ", ");
  if (taken.size() > kMostNamed) {
    text += format(" and parts of {} more",
                   counted(static_cast<std::int64_t>(taken.size() - kMostNamed), "CPU", "CPUs"));
  }
  return text;
}

}  // namespace

double most_lost(const std::vector<double>& lost_s, double ran_s) {
  if (lost_s.empty() || ran_s <= 0) return 0;
  return *std::max_element(lost_s.begin(), lost_s.end()) / ran_s;
}

std::vector<Conditions::Taken> taken_between(const std::vector<double>& lost_s, double ran_s,
                                             const Placement& placement) {
  std::vector<Conditions::Taken> taken;
  for (std::size_t i = 0; i < std::min(lost_s.size(), placement.cpus.size()); ++i) {
    const double share = ran_s > 0 ? std::min(1.0, lost_s[i] / ran_s) : 0;
    if (share > kTakenShare) taken.push_back({placement.cpus[i], share});
  }
  return taken;
}

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
  if (std::string taken = who_was_taken(conditions); !taken.empty()) {
    found.push_back({"neighbour", std::move(taken)});
  } else if (conditions.neighbour_cpus.value_or(0) > kNeighbourShare * cores) {
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
