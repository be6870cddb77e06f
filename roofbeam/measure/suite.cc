// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/suite.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/measure/probe.h"
#include "roofbeam/measure/sweep.h"

namespace roofbeam {
namespace {

// All cores together read this share of what as many single cores would: they do not wait for
// memory, but for themselves.
constexpr double kCoreLimited = 0.9;

struct Step {
  std::string name;  // canonical
  Probe probe;
};

bool wanted(const std::string& stem, const std::vector<std::string_view>& stems) {
  return std::find(stems.begin(), stems.end(), stem) != stems.end();
}

// CPUs of each NUMA node that workers may be pinned to.
std::map<int, std::vector<int>> nodes_of(const Box& box) {
  std::map<int, std::vector<int>> nodes;
  for (const int cpu : box.limits.placement) {
    for (const Core& core : box.topology.cores) {
      if (std::find(core.pus.begin(), core.pus.end(), cpu) != core.pus.end()) {
        nodes[core.numa].push_back(cpu);
      }
    }
  }
  return nodes;
}

void add_scopes(std::vector<Step>& steps, const CeilingRow& row, const Box& box, Effort effort) {
  const std::string stem(row.stem);
  const int cores = box.limits.usable_cores;
  if (row.scope == Scope::none) {
    const bool one = row.kernel == "chase" || row.kernel == "branch";
    const int workers = one ? 1 : row.kernel == "wake" ? std::min(2, cores) : cores;
    steps.push_back({stem, {&row, placement_of(box, workers), false}});
    return;
  }
  const bool measured = wanted(stem, sustained_stems());
  const bool product = row.kernel == "matmul";
  const bool core = cores > 1 && !product && (row.scope != Scope::all || effort != Effort::quick);
  if (core) steps.push_back({stem + ".core", {&row, placement_of(box, 1), false}});
  steps.push_back({stem + ".all", {&row, placement_of(box, cores), measured}});
}

// One core of each make of a hybrid CPU, where it may be used.
void add_kinds(std::vector<Step>& steps, const CeilingRow& row, const Box& box) {
  constexpr std::array kScopes = {std::pair{"performance", "pcore"},
                                  std::pair{"efficient", "ecore"}};
  if (!box.topology.hybrid() || row.scope == Scope::none || row.kernel == "matmul") return;
  for (const auto& [kind, scope] : kScopes) {
    for (const int cpu : box.limits.placement) {
      const auto& cores = box.topology.cores;
      const bool of_kind = std::any_of(cores.begin(), cores.end(), [&, kind = kind](const Core& c) {
        return c.kind == kind && std::find(c.pus.begin(), c.pus.end(), cpu) != c.pus.end();
      });
      if (!of_kind) continue;
      steps.push_back({format("{}.{}", row.stem, scope), {&row, {{cpu}, {}}, false}});
      break;
    }
  }
}

// How fast each node reads every node's memory.
void add_nodes(std::vector<Step>& steps, const CeilingRow& row, const Box& box) {
  const auto nodes = nodes_of(box);
  if (nodes.size() < 2) return;
  for (const auto& [from, cpus] : nodes) {
    for (const auto& [to, memory] : nodes) {
      Placement placement{cpus, {}};
      for (std::size_t i = 0; i < cpus.size(); ++i) {
        placement.memory_cpus.push_back(memory[i % memory.size()]);
      }
      steps.push_back({format("{}.numa{}-numa{}", row.stem, from, to), {&row, placement, false}});
    }
  }
}

std::vector<Step> steps_of(const Box& box, Effort effort) {
  std::vector<Step> steps;
  for (const CeilingRow& row : ceiling_rows()) {
    if (row.from > effort) continue;
    add_scopes(steps, row, box, effort);
    if (effort != Effort::quick) add_kinds(steps, row, box);
    if (row.stem == "bandwidth.dram.read" && effort != Effort::quick) add_nodes(steps, row, box);
  }
  return steps;
}

bool begins(const std::string& name, const std::string& with) {
  return name.rfind(with, 0) == 0;
}

// Of all steps there are, those whose names begin with one of `only`.
Result<std::vector<Step>> chosen_steps(const Box& box, const std::vector<std::string>& only) {
  const std::vector<Step> all = steps_of(box, Effort::thorough);
  std::vector<Step> chosen;
  std::set<std::string> names;
  for (const Step& step : all) names.insert(step.name);
  for (const std::string& wish : only) {
    const bool known = std::any_of(names.begin(), names.end(),
                                   [&wish](const std::string& name) { return begins(name, wish); });
    if (!known) {
      return usage_error(format("no ceiling of this device begins with \"{}\"", wish), "--only",
                         suggest(wish, {names.begin(), names.end()}));
    }
  }
  for (const Step& step : all) {
    const bool wished = std::any_of(only.begin(), only.end(), [&step](const std::string& wish) {
      return begins(step.name, wish);
    });
    if (wished) chosen.push_back(step);
  }
  return chosen;
}

// A ceiling that cannot be measured costs those who need it, not the others.
void keep(DeviceProfile& profile, const std::string& name, const Result<Ceiling>& ceiling) {
  if (!ceiling) {
    profile.absent[name] = ceiling.error().what;
  } else if (ceiling->standing >= Standing::invalid) {
    profile.absent[name] = ceiling->reason;
  } else {
    profile.ceilings[name] = *ceiling;
  }
}

// Where additions take the units of multiply-adds, a mix of both is slower than these alone: what
// nothing can exceed is then what the fastest of them reaches.
void lift_any(DeviceProfile& profile) {
  for (auto& [name, any] : profile.ceilings) {
    const std::size_t at = name.find(".any.");
    if (class_of(name) != "compute" || at == std::string::npos) continue;
    for (const char* other : {".fma.", ".add.", ".dot."}) {
      const std::string rival = name.substr(0, at) + other + name.substr(at + 5);
      const auto found = profile.ceilings.find(rival);
      if (found == profile.ceilings.end()) continue;
      if (found->second.burst.value > any.burst.value) any = found->second;
    }
  }
}

void warn_core_limited(DeviceProfile& profile) {
  const auto all = profile.ceilings.find("bandwidth.dram.read.all");
  const auto core = profile.ceilings.find("bandwidth.dram.read.core");
  if (all == profile.ceilings.end() || core == profile.ceilings.end()) return;
  const double linear = core->second.burst.value * profile.cores_usable;
  if (profile.cores_usable < 2 || all->second.burst.value < kCoreLimited * linear) return;
  profile.warnings.push_back(
      {"core_limited",
       format("{} cores read DRAM {} times as fast as one: the cores limit it and not the memory, "
              "so faster memory would not help and more cores would",
              profile.cores_usable,
              show_number(all->second.burst.value / core->second.burst.value))});
}

DeviceProfile empty_profile(const Device& device) {
  DeviceProfile profile;
  profile.id = device.id;
  profile.kind = std::string(name(device.kind));
  profile.name = device.name;
  profile.cores_usable = device.box.limits.usable_cores;
  profile.affinity_cpus = static_cast<int>(device.box.limits.affinity.size());
  profile.cpuset_cpus = device.box.limits.cpuset_cpus;
  profile.quota_cpus = device.box.limits.quota_cpus;
  profile.last_level_cache = device.box.topology.last_level_cache();
  for (const Cache& cache : device.box.topology.caches) {
    const CacheFacts facts{format("l{}", cache.level), cache.size, std::max(1, cache.cores_each)};
    auto same = std::find_if(profile.caches.begin(), profile.caches.end(),
                             [&facts](const CacheFacts& c) { return c.memory == facts.memory; });
    if (cache.size <= Bytes(0)) continue;
    if (same == profile.caches.end()) {
      profile.caches.push_back(facts);
    } else if (facts.each < same->each) {
      *same = facts;
    }
  }
  return profile;
}

// The class whose sustained rate tells of this ceiling's. Caches are slowed by what slows their
// cores; main memory by everybody who shares it.
std::string sustained_class(const std::string& name) {
  const bool cache = name.starts_with("bandwidth.l");
  return cache ? "compute" : class_of(name);
}

}  // namespace

void infer_sustained(DeviceProfile& profile) {
  for (const std::string_view stem : sustained_stems()) {
    const auto source = profile.ceilings.find(std::string(stem) + ".all");
    if (source == profile.ceilings.end() || !source->second.sustained) continue;
    const double ratio = source->second.sustained->value / source->second.burst.value;
    for (auto& [name, ceiling] : profile.ceilings) {
      if (ceiling.sustained || sustained_class(name) != class_of(stem)) continue;
      ceiling.sustained = scale(ceiling.burst, ratio);
      ceiling.sustained->method = Method::predicted;
      ceiling.sustained_provenance = "inferred";
    }
  }
}

Placement placement_of(const Box& box, int threads) {
  Placement placement{box.limits.placement, {}};
  const auto most = static_cast<std::size_t>(std::max(1, threads));
  if (placement.cpus.size() > most) placement.cpus.resize(most);
  return placement;
}

Result<DeviceProfile> measure_ceilings(const Backends& backends, const Device& device,
                                       Effort effort, const std::vector<std::string>& only,
                                       const StopToken& stop, ProgressSink& progress,
                                       Sustained sustained) {
  DeviceProfile profile = empty_profile(device);
  std::vector<Step> steps = steps_of(device.box, effort);
  if (!only.empty()) {
    auto chosen = chosen_steps(device.box, only);
    if (!chosen) return fail(chosen.error());
    steps = std::move(*chosen);
  }
  if (sustained == Sustained::left_out) {
    for (Step& step : steps) step.probe.sustained = false;
  }
  const bool sweeps = effort != Effort::quick && only.empty();
  const int total = static_cast<int>(steps.size()) + (sweeps ? 1 : 0);
  int done = 0;
  for (const Step& step : steps) {
    if (stop.requested()) break;
    progress.step("measuring " + step.name, done++, total);
    auto ceiling = measure_probe(backends, device, step.probe, effort, stop);
    if (!ceiling && ceiling.error().code == ErrorCode::interrupted) break;
    keep(profile, step.name, ceiling);
    if (!ceiling && !supported(backends, device, *step.probe.row)) {
      profile.unsupported.insert(step.name);
    }
    const std::string stem(step.probe.row->stem);
    if (profile.cores_usable == 1 && step.name == stem + ".all") {
      keep(profile, stem + ".core", ceiling);
    }
  }
  if (profile.ceilings.empty()) {
    if (stop.requested()) {
      return fail({ErrorCode::interrupted, "stopped before a ceiling was measured", "", ""});
    }
    return failed("no ceiling could be measured", device.id,
                  profile.absent.empty() ? "" : profile.absent.begin()->second);
  }
  if (sweeps && !stop.requested()) {
    progress.step("reading arrays of growing size", done, total);
    sweep_sizes(backends, device, profile, stop);
  }
  progress.step("measured the ceilings", total, total);
  lift_any(profile);
  infer_sustained(profile);
  warn_core_limited(profile);
  return profile;
}

}  // namespace roofbeam
