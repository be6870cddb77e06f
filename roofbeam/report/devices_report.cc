// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

std::string limits_of(const DevicesAnswer::Entry& device) {
  std::vector<std::string> parts = {counted(device.affinity_cpus, "CPU", "CPUs") +
                                    " in the affinity mask"};
  if (device.cpuset_cpus) parts.push_back(format("{} in the cpuset", *device.cpuset_cpus));
  parts.push_back(device.quota_cpus ? format("a quota of {} CPUs", show_number(*device.quota_cpus))
                                    : "no quota");
  return join(parts, ", ");
}

Table facts_of(const DevicesAnswer::Entry& device) {
  Table table;
  table.columns = {{"fact", false}, {"value", false}};
  auto row = [&table](const std::string& what, const std::string& value) {
    table.rows.push_back({what, value});
  };
  row("kind", format("{}, {}", device.facts.kind, device.architecture));
  row("cores", format("{} ({}, {}, {})", counted(device.cores, "core", "cores"),
                      counted(device.packages, "package", "packages"),
                      counted(device.numa_nodes, "NUMA node", "NUMA nodes"),
                      counted(device.hardware_threads, "hardware thread", "hardware threads")));
  row("usable here",
      format("{}, set by {}: {}", counted(device.facts.cores_usable, "core", "cores"),
             device.facts.cores_bound_by, limits_of(device)));
  for (const auto& cache : device.caches) {
    row(format("L{} cache", cache.level),
        format("{} x {}", cache.instances, show_binary(cache.size)));
  }
  std::string memory =
      format("{}, {} available", show_binary(device.memory), show_binary(device.memory_available));
  if (device.memory_limit) memory += format(", limited to {}", show_binary(*device.memory_limit));
  row("memory", memory);
  row("instructions", device.features.empty() ? "none known" : join(device.features, " "));
  return table;
}

Table abilities_of(const DevicesAnswer::Entry& device) {
  Table table;
  table.columns = {{"kernel", false}, {"type", false}, {"ways, the preferred one first", false}};
  for (const auto& ability : device.can) {
    table.rows.push_back({ability.kernel, ability.dtype, join(ability.ways, ", ")});
  }
  return table;
}

}  // namespace

Document document(const DevicesAnswer& answer) {
  Document document;
  document.title = answer.known.empty() ? "Devices" : "Known devices";
  add_known(document, answer.known);
  for (const auto& device : answer.devices) {
    document.blocks.push_back(Heading{format("{}: {}", device.facts.id, device.facts.name)});
    document.blocks.push_back(facts_of(device));
    document.blocks.push_back(abilities_of(device));
  }
  for (const auto& absent : answer.missing) {
    std::string text = format("{} is not here: {}.", absent.what, absent.why);
    if (!absent.hint.empty()) text += " To have it: " + absent.hint + ".";
    document.blocks.push_back(Notice{text});
  }
  return document;
}

}  // namespace roofbeam
