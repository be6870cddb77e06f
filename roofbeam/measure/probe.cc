// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/probe.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/shapes.h"

namespace roofbeam {
namespace {

// A branch on a random bit is guessed wrong every other time.
constexpr double kWrongGuesses = 0.5;

Plan plan_of(const Probe& probe, Effort effort) {
  const double longer = effort == Effort::thorough ? 3 : 1;
  Plan plan;
  plan.method = Method::best;
  plan.warm_up = Seconds(0.004);
  plan.batch = Seconds(0.008);
  plan.stopping = {20, 100000, Seconds(0.016 * longer), 0.002};
  plan.sustained = Seconds(probe.sustained ? 1.0 : 0.0);
  return plan;
}

Plan product_plan(const Probe& probe, Effort effort) {
  Plan plan = plan_of(probe, effort);
  plan.warm_up = Seconds(0.01);
  plan.stopping = {3, 100, Seconds(0.06), 0.005};
  return plan;
}

std::int64_t product_size(Effort effort) {
  return effort == Effort::quick ? 1536 : effort == Effort::normal ? 2048 : 4096;
}

Result<Shape> shape_of(const Way& way, const Device& device, const Problem& problem,
                       const Probe& probe, Effort effort, const StopToken& stop) {
  const CeilingRow& row = *probe.row;
  Problem sized = problem;
  if (row.kernel == "matmul") {
    const std::int64_t size = product_size(effort);
    return Shape{size, size, size};
  }
  const int workers = row.kernel == "chase" ? 1 : probe.placement.threads();
  if (!row.memory.empty()) {
    // The readers of a loaded chase bring their own arrays.
    const int sharing = row.kernel == "chase_loaded" ? 1 : workers;
    const auto each = footprint_each(device.box, row.memory, sharing, effort);
    if (!each) return failed(format("this device has no {} that is known", row.memory));
    sized.shape = shape_over(*problem.spec, row.dtype, *each, sharing);
    if (row.memory == "dram" && row.unit == "bytes_per_s") {
      return dram_window(device.box, *problem.spec, row.dtype, sized.shape);
    }
  } else {
    sized.shape = {1, std::int64_t{1} << 20, 1};
    if (row.unit == "s") sized.shape.n = std::int64_t{1} << 10;
  }
  return probe_window(way, device, sized, probe.placement, stop);
}

// Seconds of one execution to the ceiling's own unit.
Ceiling ceiling_from(const CeilingRow& row, const Measurement& measured, const KernelSpec& spec,
                     const Way& way) {
  const Work work = spec.work(measured.executed, row.dtype);
  Ceiling ceiling;
  ceiling.unit = std::string(row.unit);
  if (row.unit == "s") {
    ceiling.burst = scale(bare(measured.time), 1 / static_cast<double>(measured.executed.n));
  } else {
    const double amount = row.unit == "flop_per_s" ? work.flops.value() : work.bytes().value();
    ceiling.burst = divide(amount, bare(measured.time));
    if (measured.sustained) ceiling.sustained = divide(amount, bare(*measured.sustained));
  }
  ceiling.variant = way.variant.name;
  ceiling.conditions = measured.conditions;
  ceiling.standing = measured.standing;
  std::vector<std::string> reasons;
  for (const Warning& warning : measured.warnings) reasons.push_back(warning.text);
  ceiling.reason = join(reasons, "; ");
  const bool plain_stores = row.kernel == "write" || row.kernel == "copy" || row.kernel == "triad";
  if (row.memory == "dram" && plain_stores) {
    ceiling.if_write_allocated =
        scale(ceiling.burst, (work.bytes() + work.bytes_written) / work.bytes());
  }
  if (measured.cycles && measured.clock && row.unit == "flop_per_s") {
    const int cores = static_cast<int>(measured.conditions.cpus.size());
    ceiling.cycle =
        Cycle{divide(work.flops.value() / cores, *measured.cycles), *measured.clock, cores};
  }
  return ceiling;
}

Result<Measurement> measure_way(const Way& way, const Device& device, const Problem& problem,
                                const Probe& probe, Effort effort, const StopToken& stop) {
  auto shape = shape_of(way, device, problem, probe, effort, stop);
  if (!shape) return fail(shape.error());
  Problem sized = problem;
  sized.shape = *shape;
  const bool product = probe.row->kernel == "matmul";
  NoProgress quiet;  // the suite tells of ceilings, not of their restarts
  return measure(*way.backend, device, sized, way.variant, probe.placement,
                 product ? product_plan(probe, effort) : plan_of(probe, effort), stop, quiet);
}

// What a wrong guess costs: random branches against those that always go the same way.
Result<Ceiling> branch_ceiling(const Way& way, const Device& device, const Problem& random,
                               const Probe& probe, Effort effort, const StopToken& stop) {
  auto guessed_wrong = measure_way(way, device, random, probe, effort, stop);
  if (!guessed_wrong) return fail(guessed_wrong.error());
  Problem constant = random;
  constant.operands = Operands::constant;
  auto guessed = measure_way(way, device, constant, probe, effort, stop);
  if (!guessed) return fail(guessed.error());
  Ceiling ceiling = ceiling_from(*probe.row, *guessed_wrong, *random.spec, way);
  const Ceiling base = ceiling_from(*probe.row, *guessed, *random.spec, way);
  const Estimate<double>& a = ceiling.burst;
  const Estimate<double>& b = base.burst;
  if (a.low <= b.high) {
    return failed("branches at random take no longer than others: their cost is not seen");
  }
  ceiling.burst = scale(Estimate<double>{a.value - b.value, a.low - b.high, a.high - b.low,
                                         std::min(a.samples, b.samples), a.method},
                        1 / kWrongGuesses);
  ceiling.standing = worse(ceiling.standing, base.standing);
  return ceiling;
}

// The best library: each is measured.
Result<Ceiling> best_product(const std::vector<Way>& ways, const Device& device,
                             const Problem& problem, const Probe& probe, Effort effort,
                             const StopToken& stop) {
  Result<Ceiling> best = failed("no library computes it here");
  for (const Way& way : ways) {
    if (way.variant.lesson) continue;
    Probe without = probe;
    without.sustained = false;
    auto measured = measure_way(way, device, problem, without, effort, stop);
    if (!measured) {
      if (!best) best = fail(measured.error());
      continue;
    }
    Ceiling ceiling = ceiling_from(*probe.row, *measured, *problem.spec, way);
    const bool sound = ceiling.standing < Standing::invalid;
    if (!best || (sound && ceiling.burst.value > best->burst.value)) best = std::move(ceiling);
  }
  if (!best || !probe.sustained || stop.requested()) return best;
  const auto way = std::find_if(ways.begin(), ways.end(), [&best](const Way& one) {
    return one.variant.name == best->variant;
  });
  auto measured = measure_way(*way, device, problem, probe, effort, stop);
  if (measured) *best = ceiling_from(*probe.row, *measured, *problem.spec, *way);
  return best;
}

}  // namespace

bool supported(const Backends& backends, const Device& device, const CeilingRow& row) {
  const Problem problem{find_kernel(row.kernel), {}, row.dtype, Operands::random, 1};
  if (!row.memory.empty() && !footprint_each(device.box, row.memory, 1, Effort::quick))
    return false;
  return !ways_to_compute(backends, device, problem).empty();
}

Result<Ceiling> measure_probe(const Backends& backends, const Device& device, const Probe& probe,
                              Effort effort, const StopToken& stop) {
  const CeilingRow& row = *probe.row;
  Problem problem{find_kernel(row.kernel), {}, row.dtype, Operands::random, 1};
  const std::vector<Way> ways = ways_to_compute(backends, device, problem);
  if (ways.empty()) {
    return failed(format("nothing here computes {} in {}", row.kernel, name(row.dtype)));
  }
  if (row.kernel == "matmul") return best_product(ways, device, problem, probe, effort, stop);
  const Way& way = ways.front();
  if (row.kernel == "branch") return branch_ceiling(way, device, problem, probe, effort, stop);
  auto measured = measure_way(way, device, problem, probe, effort, stop);
  if (!measured) return fail(measured.error());
  return ceiling_from(row, *measured, *problem.spec, way);
}

}  // namespace roofbeam
