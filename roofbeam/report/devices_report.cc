// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

// "6 performance, 8 efficient" by what `count` counts; empty where all cores are alike.
std::string kinds_of(const DevicesAnswer::Entry& device, int DevicesAnswer::KindFacts::*count) {
  std::vector<std::string> parts;
  for (const auto& kind : device.kinds) {
    if (!kind.kind.empty() && kind.*count > 0) {
      parts.push_back(format("{} {}", kind.*count, kind.kind));
    }
  }
  return join(parts, ", ");
}

std::string cores_of(const DevicesAnswer::Entry& device) {
  std::string kinds = kinds_of(device, &DevicesAnswer::KindFacts::cores);
  if (!kinds.empty()) kinds += "; ";
  return format("{} ({}{}, {}, {})", counted(device.cores, "core", "cores"), kinds,
                counted(device.packages, "package", "packages"),
                counted(device.numa_nodes, "NUMA node", "NUMA nodes"),
                counted(device.hardware_threads, "hardware thread", "hardware threads"));
}

std::string usable_of(const DevicesAnswer::Entry& device) {
  const std::string kinds = kinds_of(device, &DevicesAnswer::KindFacts::usable);
  return format("{}{}, set by {}: {}", counted(device.facts.cores_usable, "core", "cores"),
                kinds.empty() ? "" : format(" ({})", kinds), device.facts.cores_bound_by,
                limits_of(device));
}

std::string clock_of(const DevicesAnswer::KindFacts& kind) {
  std::vector<std::string> parts;
  if (kind.clock_base) parts.push_back("base " + show_si(kind.clock_base->value(), "Hz"));
  if (kind.clock_max) parts.push_back("up to " + show_si(kind.clock_max->value(), "Hz"));
  if (parts.empty()) return "";
  const std::string clock = join(parts, ", ");
  return kind.kind.empty() ? clock : format("{}: {}", kind.kind, clock);
}

std::string clocks_of(const DevicesAnswer::Entry& device) {
  std::vector<std::string> parts;
  for (const auto& kind : device.kinds) {
    if (std::string clock = clock_of(kind); !clock.empty()) parts.push_back(std::move(clock));
  }
  return join(parts, "; ");
}

std::string node_of(const DevicesAnswer::NodeFacts& node) {
  const std::string cores = counted(node.cores, "core", "cores");
  return node.memory > Bytes(0) ? format("{}, {}", cores, show_binary(node.memory)) : cores;
}

std::string nodes_of(const DevicesAnswer::Entry& device) {
  if (std::all_of(device.nodes.begin(), device.nodes.end(),
                  [&](const auto& node) { return node == device.nodes.front(); })) {
    return format("{} x {}", device.nodes.size(), node_of(device.nodes.front()));
  }
  std::vector<std::string> parts;
  for (const auto& node : device.nodes) parts.push_back(node_of(node));
  return join(parts, "; ");
}

std::string caches_of(const DevicesAnswer::Entry& device, int level) {
  std::vector<std::string> parts;
  for (const auto& cache : device.caches) {
    if (cache.level != level) continue;
    const std::string size = format("{} x {}", cache.instances, show_binary(cache.size));
    parts.push_back(cache.kind.empty() ? size : format("{} ({})", size, cache.kind));
  }
  return join(parts, ", ");
}

std::string memory_of(const DevicesAnswer::Entry& device) {
  std::string memory =
      format("{}, {} available", show_binary(device.memory), show_binary(device.memory_available));
  if (!device.memory_limit) return memory;
  if (device.memory_bound_by == "cgroup") memory += ", set by cgroup";
  return memory + format(", limited to {}", show_binary(*device.memory_limit));
}

Table facts_of(const DevicesAnswer::Entry& device) {
  Table table;
  table.columns = {{"fact", false}, {"value", false}};
  auto row = [&table](const std::string& what, const std::string& value) {
    table.rows.push_back({what, value});
  };
  row("kind", format("{}, {}", device.facts.kind, device.architecture));
  row("cores", cores_of(device));
  row("usable here", usable_of(device));
  if (const std::string clocks = clocks_of(device); !clocks.empty()) row("clock", clocks);
  if (!device.nodes.empty()) row("NUMA nodes", nodes_of(device));
  int level = 0;
  for (const auto& cache : device.caches) {
    if (cache.level != level) row(format("L{} cache", cache.level), caches_of(device, cache.level));
    level = cache.level;
  }
  row("memory", memory_of(device));
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
    for (const std::string& note : device.notes) document.blocks.push_back(Notice{note + "."});
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
