// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/box.h"

#include <algorithm>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/hardware/cgroup.h"
#include "roofbeam/hardware/limits.h"
#include "roofbeam/hardware/system.h"

namespace roofbeam {
namespace {

// The value of the first line "key   : value" of a file like /proc/cpuinfo; empty where there is
// none.
std::string field(const std::vector<std::string>& lines, std::string_view key) {
  for (const std::string& line : lines) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || trim(line.substr(0, colon)) != key) continue;
    return trim(line.substr(colon + 1));
  }
  return "";
}

// Each architecture writes its name into a field of its own; many ARM kernels write only numbers.
std::string name_from_cpuinfo(const System& system) {
  const auto text = system.read("/proc/cpuinfo");
  if (!text) return "";
  const std::vector<std::string> lines = split(*text, '\n');
  for (const char* key : {"model name", "cpu model", "Hardware", "Processor", "uarch", "cpu"}) {
    if (std::string name = field(lines, key); !name.empty()) return name;
  }
  const std::string implementer = field(lines, "CPU implementer");
  const std::string part = field(lines, "CPU part");
  if (implementer.empty() || part.empty()) return "";
  return format("CPU of implementer {}, part {}", implementer, part);
}

// hwloc adds up the NUMA nodes, which leaves out memory that was plugged in later; /proc/meminfo
// shows a container its own share where lxcfs stands behind it. Both err downwards.
Bytes whole_memory(const System& system, Bytes of_nodes) {
  const auto text = system.read("/proc/meminfo");
  if (!text) return std::max(of_nodes, system.memory());
  const std::string total = field(split(*text, '\n'), "MemTotal");  // "24684084 kB"
  const auto kib = parse_integer(total.substr(0, total.find(' ')));
  if (!kib || *kib <= 0) return of_nodes;
  return std::max(of_nodes, Bytes(static_cast<double>(*kib) * 1024.0));
}

// What is left to say where hwloc finds nothing: the CPUs this process may run on, each a core.
Topology topology_of(const std::vector<int>& cpus) {
  Topology topology;
  topology.cores_known = false;
  for (int cpu : cpus) topology.cores.push_back({{cpu}, 0, 0});
  return topology;
}

bool shows_a_cgroup(const System& system) {
  for (const char* controller : {"cpu", "cpuset", "memory"}) {
    const Cgroup group(system, controller);
    for (const std::string& level : group.levels()) {
      for (const char* file : {"cgroup.procs", "cpu.max", "cpu.cfs_quota_us", "memory.max",
                               "memory.limit_in_bytes", "cpuset.cpus.effective", "cpuset.cpus"}) {
        if (group.read(level, file)) return true;
      }
    }
  }
  return false;
}

void note_what_is_missing(const System& system, Box& box) {
  if (!box.topology.cores_known) {
    box.notes.emplace_back(
        "the system does not show which hardware threads share a core: each counts as one");
  }
  if (box.topology.caches.empty()) box.notes.emplace_back("the system shows no caches");
  if (box.limits.affinity.empty()) {
    box.notes.emplace_back("the affinity mask cannot be read: every CPU counts as allowed");
  }
  if (!system.read("/proc/self/cgroup")) {
    box.notes.emplace_back(
        "/proc/self/cgroup cannot be read: of cgroup limits only those at the root of "
        "/sys/fs/cgroup are known");
  } else if (!Cgroup(system, "cpu").levels().empty() && !shows_a_cgroup(system)) {
    box.notes.emplace_back(
        "no cgroup can be read in /sys/fs/cgroup: a quota, a cpuset and a memory limit of it are "
        "unknown");
  }
  if (!system.read("/proc/meminfo")) {
    box.notes.emplace_back(
        "/proc/meminfo cannot be read: memory in use by others is counted as available");
  }
}

}  // namespace

int Topology::hardware_threads() const {
  std::size_t threads = 0;
  for (const Core& core : cores) threads += core.pus.size();
  return static_cast<int>(threads);
}

Bytes Topology::last_level_caches() const {
  Bytes sum;
  for (const Cache& cache : caches) {
    if (cache.level == caches.back().level) sum += cache.size * cache.instances;
  }
  return sum;
}

Bytes Topology::last_level_cache() const {
  Bytes largest;
  for (const Cache& cache : caches) {
    if (cache.level == caches.back().level) largest = std::max(largest, cache.size);
  }
  return largest;
}

std::vector<CoreKind> Box::usable_kinds() const {
  std::vector<CoreKind> usable;
  for (CoreKind kind : topology.kinds) {
    const auto cores =
        std::count_if(topology.cores.begin(), topology.cores.end(), [&](const Core& core) {
          return core.kind == kind.name &&
                 std::find_first_of(core.pus.begin(), core.pus.end(), limits.placement.begin(),
                                    limits.placement.end()) != core.pus.end();
        });
    kind.cores = static_cast<int>(cores);
    if (cores > 0) usable.push_back(std::move(kind));
  }
  return usable;
}

bool Box::has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

Result<Box> read_box(const System& system) {
  Box box;
  if (auto topology = system.topology()) {
    box.topology = std::move(*topology);
  } else {
    box.topology = topology_of(system.affinity());
    if (box.topology.cores.empty()) return fail(topology.error());
    box.notes.push_back(topology.error().what);
  }
  box.topology.architecture = system.architecture();
  if (box.topology.cpu_name.empty()) box.topology.cpu_name = name_from_cpuinfo(system);
  if (box.topology.cpu_name.empty()) box.topology.cpu_name = "unknown CPU";
  box.topology.memory = whole_memory(system, box.topology.memory);
  box.limits = read_limits(system, box.topology);
  box.features = system.features();
  note_what_is_missing(system, box);
  return box;
}

Result<Box> read_this_box() {
  return read_box(ThisSystem());
}

Result<Box> read_recorded_box(const std::string& folder) {
  auto recording = read_recording(folder);
  if (!recording) return fail(recording.error());
  return read_box(RecordedSystem(std::move(*recording)));
}

}  // namespace roofbeam
