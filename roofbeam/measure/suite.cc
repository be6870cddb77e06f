// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/suite.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "roofbeam/base/format.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/windows.h"

namespace roofbeam {
namespace {

constexpr double kWindow = 0.3e-3;  // seconds: short enough to fit between two turns of a neighbour
constexpr double kLeastArray = 512.0 * 1024 * 1024;  // bytes read in turn for a DRAM figure
constexpr double kUnknownCache = 32.0 * 1024 * 1024;

Plan ceiling_plan(bool with_sustained) {
  Plan plan;
  plan.method = Method::best;
  plan.warm_up = Seconds(0.01);
  plan.batch = Seconds(0.02);
  plan.stopping = {20, 100000, Seconds(0.04), 0.002};
  plan.sustained = Seconds(with_sustained ? 1.0 : 0.0);
  return plan;
}

// Arithmetic: as many multiply-adds as one window takes, found by trying.
Result<Shape> arithmetic_shape(const Way& way, const Device& device, Problem problem,
                               const Placement& placement, const StopToken& stop) {
  problem.shape = {1, std::int64_t{1} << 20, 1};
  auto kernel = way.backend->prepare(device, problem, way.variant, placement, stop);
  if (!kernel) return fail(kernel.error());
  double one = 0;
  for (int i = 0; i < 3; ++i) {  // the first ones wake the clock up
    auto spans = (*kernel)->run(8, stop);
    if (!spans) return fail(spans.error());
    one = sustained_time(*spans);
    if (stop.requested()) return fail({ErrorCode::interrupted, "stopped", "", ""});
  }
  if (!(one > 0)) return failed("the arithmetic probe took no time", way.variant.name);
  const double steps = static_cast<double>((*kernel)->executed_shape().n) * kWindow / one;
  return Shape{1, std::max<std::int64_t>(1 << 16, std::llround(steps)), 1};
}

// DRAM: a window reads twice the last-level caches, out of an array of at least four times them.
Shape dram_shape(const Device& device, DataType dtype) {
  const double known = device.box.topology.last_level_caches().value();
  const double cache = known > 0 ? known : kUnknownCache;
  const double window = 2 * cache;
  double array = std::max(kLeastArray, 4 * cache);
  const double available = device.box.limits.memory_available.value();
  if (available > 0) array = std::min(array, available / 2);
  const auto windows = static_cast<std::int64_t>(std::max(2.0, std::floor(array / window)));
  return {windows, static_cast<std::int64_t>(window / facts(dtype).bytes), 1};
}

Ceiling ceiling_of(const CeilingRow& row, const Measurement& measured, const KernelSpec& spec,
                   const Variant& variant) {
  const Work work = spec.work(measured.executed, row.dtype);
  const double amount = row.unit == "flop_per_s" ? work.flops.value() : work.bytes().value();
  Ceiling ceiling;
  ceiling.unit = std::string(row.unit);
  ceiling.burst = divide(amount, bare(measured.time));
  if (measured.sustained) ceiling.sustained = divide(amount, bare(*measured.sustained));
  ceiling.variant = variant.name;
  ceiling.conditions = measured.conditions;
  ceiling.standing = measured.standing;
  std::vector<std::string> reasons;
  for (const Warning& warning : measured.warnings) reasons.push_back(warning.text);
  ceiling.reason = join(reasons, "; ");
  return ceiling;
}

Result<Ceiling> measure_row(const Way& way, const Device& device, const CeilingRow& row,
                            const KernelSpec& spec, const Placement& placement, bool all,
                            const StopToken& stop) {
  Problem problem;
  problem.spec = &spec;
  problem.dtype = row.dtype;
  if (row.kernel == "read") {
    problem.shape = dram_shape(device, row.dtype);
  } else {
    auto shape = arithmetic_shape(way, device, problem, placement, stop);
    if (!shape) return fail(shape.error());
    problem.shape = *shape;
  }
  NoProgress quiet;  // the suite tells of ceilings, not of their restarts
  auto measured = measure(*way.backend, device, problem, way.variant, placement,
                          ceiling_plan(row.sustained && all), stop, quiet);
  if (!measured) return fail(measured.error());
  return ceiling_of(row, *measured, spec, way.variant);
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

// Where sustained was not measured it is burst times the ratio of the class's measured one.
void infer_sustained(DeviceProfile& profile) {
  for (const CeilingRow& source : ceiling_rows()) {
    const auto measured = profile.ceilings.find(std::string(source.stem) + ".all");
    if (measured == profile.ceilings.end() || !measured->second.sustained || !source.sustained) {
      continue;
    }
    const double ratio = measured->second.sustained->value / measured->second.burst.value;
    for (auto& [name, ceiling] : profile.ceilings) {
      if (ceiling.sustained || ceiling.unit != source.unit) continue;
      ceiling.sustained = scale(ceiling.burst, ratio);
      ceiling.sustained->method = Method::predicted;
      ceiling.sustained_provenance = "inferred";
    }
  }
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
  return profile;
}

}  // namespace

const std::vector<CeilingRow>& ceiling_rows() {
  static const std::vector<CeilingRow> rows = {
      {"compute.f32.fma", "fma", DataType::f32, "flop_per_s", true},
      {"compute.bf16.dot", "dot", DataType::bf16, "flop_per_s", false},
      {"bandwidth.dram.read", "read", DataType::f32, "bytes_per_s", true},
  };
  return rows;
}

Placement placement_of(const Box& box, int threads) {
  Placement placement{box.limits.placement};
  const auto wanted = static_cast<std::size_t>(std::max(1, threads));
  if (placement.cpus.size() > wanted) placement.cpus.resize(wanted);
  return placement;
}

Result<DeviceProfile> measure_ceilings(const Backends& backends, const Device& device,
                                       const StopToken& stop, ProgressSink& progress) {
  DeviceProfile profile = empty_profile(device);
  const std::vector<int> scopes =
      profile.cores_usable > 1 ? std::vector<int>{1, profile.cores_usable} : std::vector<int>{1};
  const int steps = static_cast<int>(ceiling_rows().size() * scopes.size());
  int done = 0;
  for (const CeilingRow& row : ceiling_rows()) {
    const KernelSpec* spec = find_kernel(row.kernel);
    Problem probe{spec, {}, row.dtype, Operands::random, 1};
    const std::vector<Way> ways = ways_to_compute(backends, device, probe);
    for (int threads : scopes) {
      const bool all = threads == profile.cores_usable;
      const std::string name = format("{}.{}", row.stem, threads == 1 && !all ? "core" : "all");
      progress.step("measuring " + name, done++, steps);
      if (ways.empty() || stop.requested()) continue;
      auto ceiling = measure_row(ways.front(), device, row, *spec,
                                 placement_of(device.box, threads), all, stop);
      if (!ceiling && ceiling.error().code == ErrorCode::interrupted) continue;
      keep(profile, name, ceiling);
      if (scopes.size() == 1) keep(profile, std::string(row.stem) + ".core", ceiling);
    }
  }
  progress.step("measured the ceilings", steps, steps);
  if (stop.requested() && profile.ceilings.empty()) {
    return fail({ErrorCode::interrupted, "stopped before a ceiling was measured", "", ""});
  }
  if (profile.ceilings.empty()) {
    return failed("no ceiling could be measured", device.id,
                  profile.absent.empty() ? "" : profile.absent.begin()->second);
  }
  infer_sustained(profile);
  return profile;
}

}  // namespace roofbeam
