// SPDX-License-Identifier: Apache-2.0
// What is in the box and what this process may use of it. Read once from the machine itself (hwloc,
// /proc, /sys, the CPU's own feature bits), or from a recording of another machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

struct Cache {
  int level = 1;       // 1 is the level-1 data cache
  Bytes size;          // of one instance
  int instances = 1;   // in the whole machine
  int cores_each = 1;  // cores that share one instance

  bool operator==(const Cache&) const = default;
};

struct Core {
  std::vector<int> pus;  // operating-system numbers of its hardware threads, the first one first
  int package = 0;
  int numa = 0;

  bool operator==(const Core&) const = default;
};

struct Topology {
  std::string cpu_name;
  std::string architecture;  // as uname says: x86_64, aarch64
  int packages = 1;
  int numa_nodes = 1;
  std::vector<Core> cores;
  std::vector<Cache> caches;  // by level
  Bytes memory;               // of the whole machine

  int hardware_threads() const;
  Bytes last_level_cache() const;   // of one instance; 0 where no cache is known
  Bytes last_level_caches() const;  // of all instances together
  bool operator==(const Topology&) const = default;
};

// What this process may use. `usable_cores` is the smallest of what affinity, cpuset and quota
// allow, in physical cores, and at least 1.
struct Limits {
  std::vector<int> affinity;          // operating-system CPU numbers
  std::optional<int> cpuset_cpus;     // CPUs of the cgroup's cpuset; absent where there is none
  std::optional<double> quota_cpus;   // quota ÷ period; absent where unlimited
  std::optional<Bytes> memory_limit;  // of the cgroup; absent where unlimited
  Bytes memory_available;             // what can be allocated now, within that limit
  int usable_cores = 1;
  std::string bound_by;        // what set usable_cores: affinity, cpuset, quota or cores
  std::vector<int> placement;  // one CPU number a usable core, for pinning

  bool operator==(const Limits&) const = default;
};

struct Box {
  Topology topology;
  Limits limits;
  std::vector<std::string>
      features;  // names of hardware/features.h this CPU has and the system saves

  bool has(std::string_view feature) const;
  bool operator==(const Box&) const = default;
};

// The machine this runs on.
Result<Box> read_this_box();
// A machine recorded by `tools/record_machine`: a folder with topology.xml and system.json.
Result<Box> read_recorded_box(const std::string& folder);

}  // namespace roofbeam
