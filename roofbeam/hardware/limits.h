// SPDX-License-Identifier: Apache-2.0
// What this process may use of the machine: affinity, cgroup (version 1, 2 or both), memory.
//
// Each limit is looked for in the process's own cgroup and in every cgroup above it, and the
// smallest binds. Groups a container cannot see (its /proc/self/cgroup can name paths of the host)
// are skipped, which ends at the root of its mount. What cannot be read or makes no sense counts as
// absent.
//
// The cores usable are the physical cores with a hardware thread in both affinity and cpuset, or
// the quota rounded up where that is less. `bound_by` is the smallest allowance, the quota not
// rounded: 1.5 CPUs on two cores are bound by quota. Of equal ones it is the first of: cores,
// cpuset, affinity, quota; so an affinity that only mirrors the cpuset is not blamed. `placement`
// takes kind after kind of cores, the fastest first, in each NUMA node after NUMA node, and the
// first allowed hardware thread of each core.
//
// `memory_available` is what the machine has available, or what is left below the cgroup's limit;
// files the kernel can drop from memory count as left, as they do in the machine's own figure, and
// swap counts nowhere.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "roofbeam/hardware/box.h"
#include "roofbeam/hardware/system.h"

namespace roofbeam {

// Asks `system` for files and affinity only.
Limits read_limits(const System& system, const Topology& topology);

// "0-3,8": ascending, without repeats; absent where it is empty, malformed or beyond 65535.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

}  // namespace roofbeam
