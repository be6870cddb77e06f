// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/kernel_point.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/command/matmul_choice.h"
#include "roofbeam/command/roof.h"
#include "roofbeam/measure/ceilings.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/shapes.h"
#include "roofbeam/measure/suite.h"

namespace roofbeam {
namespace {

bool is_product(const Problem& problem) {
  return problem.spec->name == "matmul";
}

// Of long executions few are enough for a middle, and many would take long.
constexpr Seconds kLong{4e-3};

Plan plan_of(const Problem& problem, const std::string& memory, Seconds expected) {
  Plan plan;
  plan.method = Method::median;
  plan.warm_up = Seconds(0.004);
  plan.batch = Seconds(0.004);
  const int least = expected > kLong ? 3 : memory == kMainMemory ? 8 : 20;
  plan.stopping = {least, 100000, Seconds(0.02), 0.002};
  if (is_product(problem)) {
    plan.batch = Seconds(0);
    plan.stopping = {3, 100, Seconds(0.08), 0.005};
  }
  return plan;
}

std::vector<Way> ways_of(Session& session, const Problem& problem) {
  std::vector<Way> ways = ways_to_compute(session.backends, session.device, problem);
  std::erase_if(ways, [&](const Way& way) { return is_product(problem) && way.variant.lesson; });
  return ways;
}

// Whether a memory takes so much longer than the arithmetic that how wide vectors are matters to it
// alone.
constexpr double kFarBelowTheRidge = 0.25;
bool is_all_memory(const std::optional<Breakdown>& expected) {
  if (!expected || expected->kind != Breakdown::Kind::max) return false;
  const Seconds whole = total(*expected).value;
  return std::all_of(expected->parts.begin(), expected->parts.end(), [&](const Breakdown& part) {
    return part.cause == Cause::bandwidth || part.time.value < kFarBelowTheRidge * whole;
  });
}

// What was fastest for the ceiling of a memory is so for what that memory alone holds back, in the
// type of its probes; else the best guess, which has the widest vectors.
Result<Way> way_of(Session& session, const Problem& problem, const Placed& expected,
                   const Caller& caller) {
  const std::vector<Way> ways = ways_of(session, problem);
  if (ways.empty()) return failed("nothing here computes it");
  if (is_product(problem)) {
    for (const Found& used : expected.used) {  // the library of the ceiling, where it is known
      for (const Way& way : ways) {
        if (used.name.starts_with("gemm.") && way.variant.name == used.ceiling.variant) return way;
      }
    }
    auto choice = choose_library(session, problem, "auto", caller);
    if (!choice) return fail(choice.error());
    return choice->way;
  }
  const bool by_memory = problem.dtype == DataType::f32 && is_all_memory(expected.expected);
  for (const Found& used : expected.used) {
    if (!by_memory || used.ceiling.unit != "bytes_per_s") continue;
    for (const Way& way : ways) {
      if (way.variant.name == used.ceiling.variant) return way;
    }
  }
  return ways.front();
}

// How long one pass takes at least, to find out how many make an execution.
Seconds at_least(const Operation& operation, const Placed& placed) {
  if (placed.point.predicted) return placed.point.predicted->value;
  if (placed.point.roof) return operation.flops / *placed.point.roof;
  for (const Found& used : placed.used) {
    if (used.ceiling.unit != "bytes_per_s") continue;
    return placed.point.bytes() / ByteRate(used.ceiling.burst.value);
  }
  return Seconds(0);
}

// Enough passes for an execution, of which a clock tells the length. Of a chase part of a pass
// does: it goes on where it was.
void settle_amount(Problem& problem, const std::string& memory, Seconds one_pass, const Box& box) {
  if (is_product(problem) || !(one_pass > Seconds(0))) return;
  std::int64_t& amount = problem.shape.*(problem.spec->amount);
  const double passes = kExecution / one_pass;
  if (problem.spec->name == "chase") {
    amount = std::max<std::int64_t>(1, std::llround(static_cast<double>(amount) * passes));
  } else if (memory == kMainMemory) {
    problem.shape = dram_window(box, *problem.spec, problem.dtype, problem.shape);
  } else {
    amount *= std::max<std::int64_t>(1, std::llround(std::ceil(passes)));
  }
}

Result<Placed> placed(const KernelCase& kernel, const std::optional<Estimate<Seconds>>& time,
                      const DeviceProfile& profile, int workers, const Warnings& disturbed) {
  auto result =
      place_operation(operation_of(*kernel.row, kernel.problem), time, profile, workers, disturbed);
  if (result) result->point.shape = shape_text(kernel.problem);
  return result;
}

// Whether the ceiling that the time is predicted from was measured with this very kernel.
bool repeats_a_ceiling(const Placed& placed, const Problem& problem) {
  const Shape& shape = problem.shape;
  if (is_product(problem) && (shape.m != shape.n || shape.k != shape.n)) return false;
  for (const CeilingRow& row : ceiling_rows()) {
    if (row.kernel != problem.spec->name || row.dtype != problem.dtype) continue;
    for (const std::string& used : placed.ceilings) {
      if (used.starts_with(std::string(row.stem) + ".") || used == row.stem) return true;
    }
  }
  return false;
}

// One measurement of it, in quiet if one of them was.
Result<Measurement> measured_in_quiet(Session& session, const KernelCase& kernel, const Way& way,
                                      int workers, Seconds expected, int tries,
                                      const Caller& caller) {
  NoProgress quiet;  // the table tells of kernels, not of their restarts
  Result<Measurement> last = fail({ErrorCode::failed, "it was not measured", "", ""});
  for (int tried = 0; tried < tries && !caller.stop.requested(); ++tried) {
    last = measure(*way.backend, session.device, kernel.problem, way.variant,
                   placement_of(session.device.box, workers),
                   plan_of(kernel.problem, kernel.memory, expected), caller.stop, quiet);
    if (!last || disturbances(last->conditions).empty()) return last;
  }
  if (caller.stop.requested()) return fail({ErrorCode::interrupted, "stopped", "", ""});
  return last;
}

// `result` again, under ceilings measured anew for as long as it lies above them, up to kTries
// times.
Status probe_again(Session& session, KnownCeilings& known, const KernelCase& kernel,
                   const Estimate<Seconds>& time, const Warnings& disturbed,
                   const DeviceOptions& options, const Caller& caller, Result<Placed>& result) {
  const auto above = [&result] {
    return result && result->point.verdict->standing == Standing::invalid;
  };
  if (!above() || !options.profile.empty()) return {};
  caller.progress.note(format("{} {} is faster than the ceiling on record: probing again",
                              result->point.name, result->point.dtype));
  for (int tries = 0; tries < kTries && above(); ++tries) {
    auto again = complete_ceilings(session, known, result->ceilings, options, caller, true);
    if (!again) return again;
    result = placed(kernel, time, known.at_best(),
                    workers_at(*kernel.problem.spec, session.threads), disturbed);
  }
  return {};
}

// A memory that others share, other machines among them, gives more at one time than at another:
// what its own probe did not find again is doubt, and no broken promise.
void allow_for_sharing(Point& point) {
  Verdict& verdict = *point.verdict;
  const bool own = point.memory == "l1" || point.memory == "l2";
  if (verdict.standing < Standing::invalid || own || point.memory.empty()) return;
  const std::vector<Held> held = held_by(verdict.breakdown);
  if (held.empty() || held.front().cause != Cause::bandwidth) return;
  verdict.standing = Standing::degraded;
  for (Warning& warning : verdict.warnings) {
    if (warning.code != "above_ceiling") continue;
    warning = {"shared_memory",
               format("{} {} reached {} of {}: who shares that memory left more of it then than "
                      "whenever it was probed",
                      point.name, point.dtype, show_percent(1 / verdict.headroom.value),
                      held.front().ceiling)};
  }
}

void note_check(Point& point, const Check& check) {
  point.check = check.how;
  if (check.passed || !check.done) return;
  point.verdict->standing = Standing::invalid;
  point.verdict->warnings.push_back({"wrong_result", check.complaint});
}

}  // namespace

std::set<std::string> ceilings_wanted(const std::vector<KernelCase>& cases,
                                      const DeviceProfile& profile, int workers) {
  std::set<std::string> wanted;
  for (const KernelCase& kernel : cases) {
    const int own = workers_at(*kernel.problem.spec, workers);
    wanted.merge(ceilings_wanted(operation_of(*kernel.row, kernel.problem), profile, own));
  }
  return wanted;
}

std::set<std::string> drifting(const std::set<std::string>& ceilings) {
  std::set<std::string> names;
  for (const std::string& name : ceilings) {
    if (name.starts_with(format("bandwidth.{}.", kMainMemory))) names.insert(name);
  }
  return names;
}

Result<Prepared> prepare_point(Session& session, const KnownCeilings& known, KernelCase kernel) {
  if (ways_of(session, kernel.problem).empty()) {
    return failed(format("nothing here computes {} in {}", kernel.problem.spec->name,
                         name(kernel.problem.dtype)));
  }
  const int workers = workers_at(*kernel.problem.spec, session.threads);
  auto once = placed(kernel, std::nullopt, known.device, workers, {});
  if (!once) return fail(once.error());
  const Operation operation = operation_of(*kernel.row, kernel.problem);
  settle_amount(kernel.problem, kernel.memory, at_least(operation, *once), session.device.box);
  auto expected = placed(kernel, std::nullopt, known.device, workers, {});
  if (!expected) return fail(expected.error());
  expected->point.repeat = repeats_a_ceiling(*expected, kernel.problem);
  return Prepared{std::move(kernel), std::move(*expected)};
}

Result<Placed> measure_point(Session& session, KnownCeilings& known, const Prepared& prepared,
                             const DeviceOptions& options, const Caller& caller, int tries) {
  KernelCase kernel = prepared.kernel;
  const int workers = workers_at(*kernel.problem.spec, session.threads);
  auto way = way_of(session, kernel.problem, prepared.expected, caller);
  if (!way) return fail(way.error());
  const auto& predicted = prepared.expected.point.predicted;
  const Seconds expected = predicted ? predicted->value : Seconds(0);
  auto measured = measured_in_quiet(session, kernel, *way, workers, expected, tries, caller);
  if (!measured) return fail(measured.error());
  kernel.problem.shape = measured->executed;
  const Warnings disturbed = disturbances(measured->conditions);
  auto result = placed(kernel, measured->time, known.device, workers, disturbed);
  auto probed =
      probe_again(session, known, kernel, measured->time, disturbed, options, caller, result);
  if (!probed) return fail(probed.error());
  if (!result) return fail(result.error());
  Point& point = result->point;
  allow_for_unprobed_units(*point.verdict, session.device.box, kernel.problem.dtype);
  allow_for_sharing(point);
  point.variant = way->variant.name;
  point.repeat = prepared.expected.point.repeat;
  point.predicted = prepared.expected.point.predicted;
  point.no_prediction = prepared.expected.point.no_prediction;
  if (!disturbed.empty()) point.disturbed = disturbed.front().text;
  note_check(point, measured->check);
  result->warnings.insert(result->warnings.end(), disturbed.begin(), disturbed.end());
  return result;
}

}  // namespace roofbeam
