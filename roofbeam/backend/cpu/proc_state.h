// SPDX-License-Identifier: Apache-2.0
// Cumulative readings of the host's scheduler, from /proc and the cgroup.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/backend/backend.h"

namespace roofbeam {

// Everything that can be read now, for these CPUs. Never fails: what is not there stays absent.
DeviceState read_proc_state(const std::vector<int>& cpus);

// The parts, pure, for tests. Seconds, given the kernel's ticks per second.
struct CpuTimes {
  double busy_s = 0;
  double steal_s = 0;
};
std::optional<CpuTimes> times_of_cpus(const std::string& proc_stat, const std::vector<int>& cpus,
                                      double ticks_per_second);
// throttled_usec (cgroup v2) or throttled_time (v1, nanoseconds) of a cpu.stat file.
std::optional<double> throttled_seconds(const std::string& cpu_stat);

}  // namespace roofbeam
