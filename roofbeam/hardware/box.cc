// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/box.h"

#include <algorithm>
#include <utility>

#include "roofbeam/base/format.h"
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
  if (!text) return of_nodes;
  const std::string total = field(split(*text, '\n'), "MemTotal");  // "24684084 kB"
  const auto kib = parse_integer(total.substr(0, total.find(' ')));
  if (!kib || *kib <= 0) return of_nodes;
  return std::max(of_nodes, Bytes(static_cast<double>(*kib) * 1024.0));
}

}  // namespace

int Topology::hardware_threads() const {
  std::size_t threads = 0;
  for (const Core& core : cores) threads += core.pus.size();
  return static_cast<int>(threads);
}

Bytes Topology::last_level_caches() const {
  return caches.empty() ? Bytes(0) : caches.back().size * caches.back().instances;
}

Bytes Topology::last_level_cache() const {
  return caches.empty() ? Bytes() : caches.back().size;
}

bool Box::has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

Result<Box> read_box(const System& system) {
  auto topology = system.topology();
  if (!topology) return fail(topology.error());
  Box box;
  box.topology = std::move(*topology);
  box.topology.architecture = system.architecture();
  if (box.topology.cpu_name.empty()) box.topology.cpu_name = name_from_cpuinfo(system);
  if (box.topology.cpu_name.empty()) box.topology.cpu_name = "unknown CPU";
  box.topology.memory = whole_memory(system, box.topology.memory);
  box.limits = read_limits(system, box.topology);
  box.features = system.features();
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
