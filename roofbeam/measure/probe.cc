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

// To find a window by: at the latency of a far memory these take half a millisecond.
constexpr std::int64_t kFewLoads = 4096;
constexpr std::int64_t kFewEvents = 64;  // a thread takes tens of microseconds to wake

Plan plan_of(const Probe& probe, Effort effort) {
  const double longer = effort == Effort::thorough ? 3 : 1;
  Plan plan;
  plan.method = Method::best;
  plan.warm_up = Seconds(0.004);
  plan.batch = Seconds(0.008);
  // A window of DRAM takes milliseconds, and few are enough for its border.
  const int least = probe.row->memory == "dram" && effort == Effort::quick ? 8 : 20;
  plan.stopping = {least, 100000, Seconds(0.016 * longer), 0.002};
  plan.sustained = Seconds(probe.sustained ? 1.0 : 0.0);
  return plan;
}

Plan product_plan(const Probe& probe, Effort effort) {
  Plan plan = plan_of(probe, effort);
  plan.warm_up = Seconds(0.01);
  plan.stopping = {effort == Effort::quick ? 2 : 3, 100, Seconds(0.06), 0.005};
  return plan;
}

std::int64_t product_size(Effort effort) {
  return effort == Effort::quick ? 1280 : effort == Effort::normal ? 2048 : 4096;
}

Result<Shape> shape_of(const Way& way, const Device& device, const Problem& problem,
                       const Probe& probe, Effort effort, const StopToken& stop) {
  const CeilingRow& row = *probe.row;
  Problem sized = problem;
  if (row.kernel == "matmul") {
    const std::int64_t size = product_size(effort);
    return Shape{size, size, size};
  }
  if (row.unit == "bytes_per_s") {
    return window_in(row.memory, way, device, problem, probe.placement, effort, stop);
  }
  if (!row.memory.empty()) {
    // One worker waits; the readers of a loaded chase bring their own arrays.
    const auto each = footprint_each(device.box, row.memory, 1, effort);
    if (!each) return failed(format("this device has no {} that is known", row.memory));
    sized.shape = shape_over(*problem.spec, row.dtype, *each, 1);
    sized.shape.n = std::min(sized.shape.n, kFewLoads);
    if (row.memory == "dram") return sized.shape;  // half a millisecond
  } else {
    sized.shape = {1, std::int64_t{1} << 20, 1};
    if (row.unit == "s") sized.shape.n = kFewEvents;
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
                                const Probe& probe, Effort effort, const StopToken& stop,
                                bool only_try = false) {
  auto shape = shape_of(way, device, problem, probe, effort, stop);
  if (!shape) return fail(shape.error());
  Problem sized = problem;
  sized.shape = *shape;
  const bool product = probe.row->kernel == "matmul";
  Plan plan = product ? product_plan(probe, effort) : plan_of(probe, effort);
  if (only_try) {
    plan.restarts = 1;
    plan.sustained = Seconds(0);
  }
  NoProgress quiet;  // the suite tells of ceilings, not of their restarts
  return measure(*way.backend, device, sized, way.variant, probe.placement, plan, stop, quiet);
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

// Of several ways each is tried once, and the fastest is measured.
Result<Ceiling> best_way(const std::vector<Way>& ways, const Device& device, const Problem& problem,
                         const Probe& probe, Effort effort, const StopToken& stop) {
  // Where it computes the same on each core, one core tells best which way is faster; and what is
  // fastest from the outermost cache is so from DRAM, in arrays that are sooner filled.
  Probe trial = probe;
  CeilingRow nearer = *probe.row;
  if (nearer.memory == "dram" && footprint_each(device.box, "l3", 1, effort)) nearer.memory = "l3";
  trial.row = &nearer;
  if (probe.row->kernel != "matmul") trial.placement = {{probe.placement.cpus.front()}, {}};
  const Way* best = nullptr;
  double fastest = 0;
  Error why{ErrorCode::failed, "no library computes it here", "", ""};
  for (const Way& way : ways) {
    auto tried = measure_way(way, device, problem, trial, effort, stop, true);
    if (!tried) why = tried.error();
    if (!tried || tried->standing >= Standing::invalid) continue;
    if (best == nullptr || tried->time.value.value() < fastest) {
      best = &way;
      fastest = tried->time.value.value();
    }
  }
  if (best == nullptr) return fail(why);
  auto measured = measure_way(*best, device, problem, probe, effort, stop);
  if (!measured) return fail(measured.error());
  return ceiling_from(*probe.row, *measured, *problem.spec, *best);
}

// Which ways may be the fastest: every library; of vectors the two widest where they pass over a
// memory, since wider ones do not always load more in a cycle; else the best guess.
std::vector<Way> rivals_of(const std::vector<Way>& ways, const CeilingRow& row) {
  std::vector<Way> rivals;
  const bool stream = row.unit == "bytes_per_s";
  for (const Way& way : ways) {
    if (!way.variant.lesson) rivals.push_back(way);
  }
  const std::size_t most = row.kernel == "matmul" ? rivals.size() : stream ? 2 : 1;
  if (rivals.size() > most) rivals.resize(most);
  return rivals;
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
  const std::vector<Way> rivals = rivals_of(ways, row);
  if (rivals.size() != 1) return best_way(rivals, device, problem, probe, effort, stop);
  const Way& way = rivals.front();
  if (row.kernel == "branch") return branch_ceiling(way, device, problem, probe, effort, stop);
  auto measured = measure_way(way, device, problem, probe, effort, stop);
  if (!measured) return fail(measured.error());
  return ceiling_from(row, *measured, *problem.spec, way);
}

}  // namespace roofbeam
