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
  int level = 1;          // 1 is the level-1 data cache
  Bytes size;             // of one instance
  int instances = 1;      // in the whole machine
  int cores_each = 1;     // cores that share one instance
  std::string kind = {};  // of the cores it serves; empty where all are alike or several share it

  bool operator==(const Cache&) const = default;
};

struct Core {
  std::vector<int> pus;  // operating-system numbers of its hardware threads, the first one first
  int package = 0;
  int numa = 0;
  std::string kind = {};  // the name of its CoreKind; empty where all cores are alike

  bool operator==(const Core&) const = default;
};

// Cores of one make, as the system states them; never looked up by a CPU's name.
struct CoreKind {
  std::string name;  // performance, middle, efficient or low-power; empty where all are alike
  int cores = 0;
  std::optional<Hertz> clock_base;  // where the system states it
  std::optional<Hertz> clock_max;   // of the fastest core of the kind, likewise

  bool operator==(const CoreKind&) const = default;
};

struct Topology {
  std::string cpu_name;
  std::string architecture;  // as uname says: x86_64, aarch64
  int packages = 1;
  int numa_nodes = 1;
  std::vector<Core> cores;
  bool cores_known = true;         // false where each hardware thread had to count as a core
  std::vector<CoreKind> kinds;     // the fastest first; empty where nothing is stated about them
  std::vector<Cache> caches;       // by level; on a hybrid CPU several of a level
  Bytes memory;                    // of the whole machine
  std::vector<Bytes> node_memory;  // of each NUMA node; 0 where it is not stated

  bool hybrid() const { return kinds.size() > 1; }
  int hardware_threads() const;
  Bytes last_level_cache() const;   // of the largest instance; 0 where no cache is known
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
  std::string memory_bound_by;        // what set memory_available: machine or cgroup
  int usable_cores = 1;
  std::string bound_by;        // what set usable_cores: affinity, cpuset, quota or cores
  std::vector<int> placement;  // one CPU number a usable core, the fastest kind first, for pinning

  bool operator==(const Limits&) const = default;
};

struct Box {
  Topology topology;
  Limits limits;
  std::vector<std::string>
      features;                    // names of hardware/features.h this CPU has and the system saves
  std::vector<std::string> notes;  // what could not be read, and what is taken in its place

  // The kinds of the cores of `placement`, with how many of each are in it.
  std::vector<CoreKind> usable_kinds() const;
  bool has(std::string_view feature) const;
  bool operator==(const Box&) const = default;
};

// The machine this runs on.
Result<Box> read_this_box();
// A machine recorded by `tools/record_machine`: a folder with topology.xml and system.json.
Result<Box> read_recorded_box(const std::string& folder);

}  // namespace roofbeam
