// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/hardware/cgroup.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kMostCpus = 1 << 16;
// Version 1 writes "unlimited" as the largest whole number of pages, which differs with the page.
constexpr std::int64_t kUnlimitedMemory = std::int64_t{1} << 60;

std::optional<std::int64_t> whole_number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto number = parse_integer(trim(*text));
  if (!number) return std::nullopt;
  return *number;
}

void keep_smaller(std::optional<double>& kept, std::optional<double> other) {
  if (other && (!kept || *other < *kept)) kept = other;
}

// The number of a line "key 12" or "Key:   12 kB", in its own unit.
std::optional<std::int64_t> field(const std::optional<std::string>& text, std::string_view key) {
  if (!text) return std::nullopt;
  for (const std::string& line : split(*text, '\n')) {
    if (line.compare(0, key.size(), key) != 0) continue;
    std::string rest = line.substr(key.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != ':')) continue;
    if (rest.front() == ':') rest.erase(0, 1);
    rest = trim(rest);
    return whole_number(rest.substr(0, rest.find(' ')));
  }
  return std::nullopt;
}

std::optional<double> cpus_of(std::optional<std::int64_t> quota,
                              std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// CPUs' worth of time. Version 2: cpu.max is "150000 100000" or "max 100000", in microseconds.
// Version 1: two files, and -1 is no quota.
std::optional<double> quota_at(const Cgroup& group, const std::string& level) {
  if (!group.unified()) {
    return cpus_of(whole_number(group.read(level, "cpu.cfs_quota_us")),
                   whole_number(group.read(level, "cpu.cfs_period_us")));
  }
  const auto text = group.read(level, "cpu.max");
  if (!text) return std::nullopt;
  const std::vector<std::string> parts = split(trim(*text), ' ');
  if (parts.size() != 2) return std::nullopt;
  return cpus_of(whole_number(parts[0]), whole_number(parts[1]));
}

std::optional<double> read_quota(const System& system) {
  const Cgroup group(system, "cpu");
  std::optional<double> least;
  for (const std::string& level : group.levels()) keep_smaller(least, quota_at(group, level));
  return least;
}

// The nearest group that says: a group's CPUs are always among those of the group above it.
std::optional<std::vector<int>> read_cpuset(const System& system) {
  const Cgroup group(system, "cpuset");
  for (const std::string& level : group.levels()) {
    for (const char* file : {"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"}) {
      const auto text = group.read(level, file);
      if (!text) continue;
      if (auto cpus = parse_cpu_list(*text)) return cpus;
    }
  }
  return std::nullopt;
}

struct MemoryLimit {
  std::optional<double> limit;
  std::optional<double> left;
};

MemoryLimit memory_at(const Cgroup& group, const std::string& level) {
  const bool v2 = group.unified();
  const auto limit = whole_number(group.read(level, v2 ? "memory.max" : "memory.limit_in_bytes"));
  if (!limit || *limit <= 0 || *limit >= kUnlimitedMemory) return {};
  const double total = static_cast<double>(*limit);
  const auto current =
      whole_number(group.read(level, v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!current || *current < 0) return {total, total};
  const auto droppable =
      field(group.read(level, "memory.stat"), v2 ? "inactive_file" : "total_inactive_file");
  double used = static_cast<double>(*current);
  if (droppable && *droppable > 0) used = std::max(0.0, used - static_cast<double>(*droppable));
  return {total, std::max(0.0, total - used)};
}

// The smallest limit and the least left need not be of the same group.
MemoryLimit read_memory_limit(const System& system) {
  const Cgroup group(system, "memory");
  MemoryLimit least;
  for (const std::string& level : group.levels()) {
    const MemoryLimit here = memory_at(group, level);
    keep_smaller(least.limit, here.limit);
    keep_smaller(least.left, here.left);
  }
  return least;
}

void read_memory(const System& system, const Topology& topology, Limits& limits) {
  std::optional<double> available;
  const auto meminfo = system.read("/proc/meminfo");
  for (const char* key : {"MemAvailable", "MemFree"}) {  // before Linux 3.14 only the second
    const auto kib = field(meminfo, key);
    if (!available && kib && *kib >= 0) available = static_cast<double>(*kib) * 1024.0;
  }
  const MemoryLimit group = read_memory_limit(system);
  if (group.limit) limits.memory_limit = Bytes(*group.limit);
  limits.memory_available = available ? Bytes(*available) : topology.memory;
  limits.memory_bound_by = "machine";
  if (group.left && Bytes(*group.left) < limits.memory_available) {
    limits.memory_available = Bytes(*group.left);
    limits.memory_bound_by = "cgroup";
  }
}

bool contains(const std::vector<int>& sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

std::vector<int> both(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

// Which of the kinds, the fastest first, a core is of.
std::size_t rank_of(const Topology& topology, const Core& core) {
  const auto kind = std::find_if(topology.kinds.begin(), topology.kinds.end(),
                                 [&](const CoreKind& each) { return each.name == core.kind; });
  return static_cast<std::size_t>(kind - topology.kinds.begin());
}

// The first hardware thread among `cpus` of every core that has one; kind after kind, and in each
// NUMA node after NUMA node.
std::vector<int> one_per_core(const Topology& topology, const std::vector<int>& cpus) {
  std::vector<const Core*> cores;
  for (const Core& core : topology.cores) cores.push_back(&core);
  std::stable_sort(cores.begin(), cores.end(), [&](const Core* a, const Core* b) {
    return std::pair(rank_of(topology, *a), a->numa) < std::pair(rank_of(topology, *b), b->numa);
  });
  std::vector<int> first;
  for (const Core* core : cores) {
    const auto pu = std::find_if(core->pus.begin(), core->pus.end(),
                                 [&](int number) { return contains(cpus, number); });
    if (pu != core->pus.end()) first.push_back(*pu);
  }
  return first;
}

struct Allowance {
  const char* name;
  double cores;
};

void choose_cores(const Topology& topology, const std::optional<std::vector<int>>& cpuset,
                  Limits& limits) {
  std::vector<int> all;
  for (const Core& core : topology.cores) all.insert(all.end(), core.pus.begin(), core.pus.end());
  std::sort(all.begin(), all.end());
  // A mask that shares nothing with the machine says nothing about it. Where the two masks share
  // nothing with each other, affinity is the kernel's last word.
  const auto or_all = [&](const std::vector<int>& cpus) {
    std::vector<int> known = both(cpus, all);
    return known.empty() ? all : known;
  };
  const std::vector<int> in_affinity = or_all(limits.affinity);
  const std::vector<int> in_cpuset = cpuset ? or_all(*cpuset) : all;
  const std::vector<int> in_both = both(in_affinity, in_cpuset);
  limits.placement = one_per_core(topology, in_both.empty() ? in_affinity : in_both);

  const auto count = [&](const std::vector<int>& cpus) {
    return static_cast<double>(one_per_core(topology, cpus).size());
  };
  const double allowed = static_cast<double>(limits.placement.size());
  const Allowance allowances[] = {{"cores", static_cast<double>(topology.cores.size())},
                                  {"cpuset", count(in_cpuset)},
                                  {"affinity", allowed},
                                  {"quota", limits.quota_cpus.value_or(allowed)}};
  const Allowance& least =
      *std::min_element(std::begin(allowances), std::end(allowances),
                        [](const Allowance& a, const Allowance& b) { return a.cores < b.cores; });
  limits.bound_by = least.name;
  limits.usable_cores = std::max(1, static_cast<int>(std::ceil(least.cores)));
  const auto usable = static_cast<std::size_t>(limits.usable_cores);
  if (limits.placement.size() > usable) limits.placement.resize(usable);
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string& part : split(trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostCpus) return std::nullopt;
    if (cpus.size() > static_cast<std::size_t>(kMostCpus)) return std::nullopt;  // repeats itself
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

Limits read_limits(const System& system, const Topology& topology) {
  Limits limits;
  limits.affinity = system.affinity();
  std::sort(limits.affinity.begin(), limits.affinity.end());
  limits.quota_cpus = read_quota(system);
  const auto cpuset = read_cpuset(system);
  if (cpuset) limits.cpuset_cpus = static_cast<int>(cpuset->size());
  read_memory(system, topology, limits);
  choose_cores(topology, cpuset, limits);
  return limits;
}

}  // namespace roofbeam
