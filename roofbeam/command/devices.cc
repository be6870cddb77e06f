// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/devices.h"

#include <algorithm>
#include <cstddef>

#include "roofbeam/backend/registry.h"
#include "roofbeam/base/format.h"
#include "roofbeam/command/session.h"
#include "roofbeam/hardware/known.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

std::vector<DevicesAnswer::Ability> abilities(const Backends& backends, const Device& device) {
  std::vector<DevicesAnswer::Ability> found;
  for (const KernelSpec& spec : kernel_table()) {
    for (DataType dtype : spec.types) {
      Problem problem;
      problem.spec = &spec;
      problem.dtype = dtype;
      DevicesAnswer::Ability ability{std::string(spec.name), std::string(name(dtype)), {}};
      for (const Way& way : ways_to_compute(backends, device, problem)) {
        ability.ways.push_back(way.variant.name);
      }
      if (!ability.ways.empty()) found.push_back(std::move(ability));
    }
  }
  return found;
}

int cores_of(const std::vector<CoreKind>& kinds, const std::string& name) {
  for (const CoreKind& kind : kinds) {
    if (kind.name == name) return kind.cores;
  }
  return 0;
}

void add_topology(const Box& box, DevicesAnswer::Entry& entry) {
  const Topology& topology = box.topology;
  entry.architecture = topology.architecture;
  entry.packages = topology.packages;
  entry.numa_nodes = topology.numa_nodes;
  entry.cores = static_cast<int>(topology.cores.size());
  entry.hardware_threads = topology.hardware_threads();
  const std::vector<CoreKind> usable = box.usable_kinds();
  for (const CoreKind& kind : topology.kinds) {
    entry.kinds.push_back(
        {kind.name, kind.cores, cores_of(usable, kind.name), kind.clock_base, kind.clock_max});
  }
  for (int node = 0; node < topology.numa_nodes && topology.numa_nodes > 1; ++node) {
    const auto cores = std::count_if(topology.cores.begin(), topology.cores.end(),
                                     [&](const Core& core) { return core.numa == node; });
    const auto place = static_cast<std::size_t>(node);
    const bool known = place < topology.node_memory.size();
    entry.nodes.push_back(
        {static_cast<int>(cores), known ? topology.node_memory[place] : Bytes(0)});
  }
  for (const Cache& cache : topology.caches) {
    entry.caches.push_back({cache.level, cache.size, cache.instances, cache.kind});
  }
  entry.memory = topology.memory;
}

DevicesAnswer::Entry entry(const Backends& backends, const Device& device) {
  const Limits& limits = device.box.limits;
  DevicesAnswer::Entry entry;
  entry.facts = facts_of(device);
  add_topology(device.box, entry);
  entry.memory_available = limits.memory_available;
  entry.memory_bound_by = limits.memory_bound_by;
  entry.memory_limit = limits.memory_limit;
  entry.affinity_cpus = static_cast<int>(limits.affinity.size());
  entry.cpuset_cpus = limits.cpuset_cpus;
  entry.quota_cpus = limits.quota_cpus;
  entry.features = device.box.features;
  entry.can = abilities(backends, device);
  entry.notes = device.box.notes;
  return entry;
}

Result<DevicesAnswer> known(const std::string& wanted) {
  DevicesAnswer answer;
  for (const KnownDevice* device : find_known(wanted)) answer.known.push_back(*device);
  if (!answer.known.empty()) return answer;
  return usage_error(format("no known device is called \"{}\"", wanted), "--known",
                     suggest_known(wanted));
}

}  // namespace

Result<DevicesAnswer> devices(const DevicesOptions& options, const StopToken& stop) {
  if (options.known) return known(*options.known);
  auto backends = open_backends(options.device == "all" ? "" : options.device, stop);
  if (!backends) return fail(backends.error());
  DevicesAnswer answer;
  if (options.device.empty() || options.device == "all") {
    for (const Device& device : all_devices(*backends)) {
      answer.devices.push_back(entry(*backends, device));
    }
  } else {
    auto device = choose_device(*backends, options.device);
    if (!device) return fail(device.error());
    answer.devices.push_back(entry(*backends, *device));
  }
  if (stop.requested()) return fail({ErrorCode::interrupted, "stopped", "", ""});
  for (const auto& backend : *backends) {
    for (const Missing& missing : backend->missing()) {
      answer.missing.push_back({missing.what, missing.why, missing.hint});
    }
  }
  return answer;
}

}  // namespace roofbeam
