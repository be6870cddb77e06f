// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/system.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <cerrno>
#include <utility>

#include "roofbeam/base/file.h"
#include "roofbeam/hardware/features.h"
#include "roofbeam/hardware/topology.h"

namespace roofbeam {
namespace {

// Files of /proc and /sys are pages long; cpuinfo of a large machine is the longest.
constexpr std::size_t kLongestFile = std::size_t{16} << 20;
// Where the kernel takes no mask this wide, something else is wrong.
constexpr int kMostCpus = 1 << 16;

}  // namespace

std::optional<std::string> ThisSystem::read(const std::string& path) const {
  auto text = read_file(path, kLongestFile);
  if (!text) return std::nullopt;
  return std::move(*text);
}

Result<Topology> ThisSystem::topology() const {
  return topology_of_this_machine();
}

std::vector<int> ThisSystem::affinity() const {
  // The kernel refuses (EINVAL) a mask narrower than its own, so it is widened until taken.
  for (int cpus = CPU_SETSIZE; cpus <= kMostCpus; cpus *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    std::vector<cpu_set_t> mask((bytes + sizeof(cpu_set_t) - 1) / sizeof(cpu_set_t));
    if (::sched_getaffinity(0, bytes, mask.data()) != 0) {
      if (errno == EINVAL) continue;
      return {};
    }
    std::vector<int> found;
    for (int cpu = 0; cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.data())) found.push_back(cpu);
    }
    return found;
  }
  return {};
}

std::vector<std::string> ThisSystem::features() const {
  return cpu_features();
}

std::string ThisSystem::architecture() const {
  struct utsname names {};
  return ::uname(&names) == 0 ? std::string(names.machine) : std::string("unknown");
}

Bytes ThisSystem::memory() const {
  struct sysinfo told {};
  if (::sysinfo(&told) != 0) return Bytes(0);
  return Bytes(static_cast<double>(told.totalram) * static_cast<double>(told.mem_unit));
}

RecordedSystem::RecordedSystem(Recording recording) : recording_(std::move(recording)) {}

std::optional<std::string> RecordedSystem::read(const std::string& path) const {
  const auto found = recording_.files.find(path);
  if (found == recording_.files.end()) return std::nullopt;
  return found->second;
}

Result<Topology> RecordedSystem::topology() const {
  return recording_.topology;
}

std::vector<int> RecordedSystem::affinity() const {
  return recording_.affinity;
}

std::vector<std::string> RecordedSystem::features() const {
  return recording_.features;
}

std::string RecordedSystem::architecture() const {
  return recording_.architecture;
}

Bytes RecordedSystem::memory() const {
  return Bytes(0);
}

}  // namespace roofbeam
