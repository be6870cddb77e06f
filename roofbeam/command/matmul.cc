// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul.h"

#include <algorithm>
#include <cmath>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/command/matmul_choice.h"
#include "roofbeam/command/roof.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/suite.h"
#include "roofbeam/verdict/judge.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 24;  // keeps every product of sizes exact
constexpr double kQuotaCounts = 0.01;  // share of the time from which a quota is part of the bound

Result<Problem> problem_of(const MatmulOptions& options) {
  auto dtype = data_type_from(options.dtype);
  if (!dtype) return fail(dtype.error());
  Problem problem;
  problem.spec = find_kernel("matmul");
  problem.dtype = *dtype;
  problem.operands = options.constant ? Operands::constant : Operands::random;
  problem.shape = {options.m == 0 ? options.n : options.m, options.n,
                   options.k == 0 ? options.n : options.k};
  for (auto [size, option] : {std::pair{problem.shape.n, "-n"}, std::pair{problem.shape.m, "-m"},
                              std::pair{problem.shape.k, "-k"}}) {
    if (size < 1 || size > kMostSize) {
      return usage_error(format("{} is no size of a matrix", size), option,
                         format("whole numbers from 1 to {}", kMostSize));
    }
  }
  const auto& types = problem.spec->types;
  if (std::find(types.begin(), types.end(), *dtype) == types.end()) {
    std::vector<std::string> known;
    for (DataType type : types) known.emplace_back(name(type));
    return usage_error(format("products in {} are not measured yet", name(*dtype)), "--dtype",
                       "there are: " + join(known, ", "));
  }
  return problem;
}

Status fits(const Problem& problem, const Device& device) {
  const Bytes needed = problem.work().footprint;
  const Bytes available = device.box.limits.memory_available;
  if (needed <= available) return {};
  return failed(format("three matrices in {} need {}, and {} is available", name(problem.dtype),
                       show_binary(needed), show_binary(available)),
                "-n", "choose a smaller size or a smaller type");
}

Plan plan_of(const MatmulOptions& options) {
  Plan plan;
  plan.method = Method::median;
  plan.warm_up = Seconds(0.02);
  plan.batch = Seconds(0.0);  // one execution at a time: each is a sample
  plan.stopping = {1, 1000, Seconds(0.3), 0.005};
  if (options.reps > 0) plan.stopping = {options.reps, options.reps, Seconds(1e9), 0};
  return plan;
}

Operation operation_of(const Problem& problem) {
  const Work work = problem.work();
  Operation operation;
  operation.name = "matmul";
  operation.dtype = std::string(name(problem.dtype));
  operation.flops = work.flops;
  operation.traffic = {{kRoofMemory, work.bytes_read, work.bytes_written}};
  operation.footprint = work.footprint;
  return operation;
}

// What was measured, on its own: everything before ceilings come into it.
struct Run {
  MatmulOptions options;
  Problem problem;
  Choice choice;
  Measurement measured;
};

// The roof from far left of its ridge to right of the point, for the picture.
void draw_roof(MatmulAnswer& answer, const RoofFound& found) {
  if (found.drawn.empty()) return;
  const Roof& roof = found.roof;
  const Roof::Memory& memory = found.drawn.front();
  const Intensity corner = ridge(roof, memory);
  double right = corner.value();
  for (const MatmulPoint& point : answer.points) {
    right = std::max(right, point.intensity.value());
  }
  for (double x : {corner.value() / 64, corner.value(), right * 4}) {
    answer.roof_line.emplace_back(x, height(roof, memory, Intensity(x)).value());
  }
}

MatmulPoint point_of(const MatmulOptions& options, const Session& session, const Problem& problem,
                     const Way& way, const Measurement& measured, const RoofFound& found) {
  const Work executed = problem.spec->work(measured.executed, problem.dtype);
  MatmulPoint point;
  point.m = problem.shape.m;
  point.n = problem.shape.n;
  point.k = problem.shape.k;
  point.dtype = std::string(name(problem.dtype));
  point.device = session.device.id;
  point.library = way.variant.name;
  point.threads = session.threads;
  point.reps = measured.executions;
  point.rounds = measured.time.samples;
  point.constant = options.constant;
  point.time = measured.time;
  if (measured.executed != problem.shape) {
    const double whole = static_cast<double>(problem.shape.m);
    point.time = scale(measured.time, whole / static_cast<double>(measured.executed.m));
    point.time.method = Method::predicted;
  }
  point.rate = divide(executed.flops, measured.time);
  point.ceiling = found.roof.arithmetic_ceiling;
  point.share_of_ceiling = point.rate / found.roof.arithmetic;
  point.intensity = problem.work().flops / problem.work().bytes();
  if (measured.check.done) point.check_passed = measured.check.passed;
  point.check_how = measured.check.how;
  return point;
}

// Under half of the roof something about the way it is computed is slow: the fastest library is
// measured beside it, and only what it was seen to gain is offered.
void offer_library(MatmulAnswer& answer, Session& session, const Problem& problem,
                   const Caller& caller) {
  const MatmulPoint& point = answer.points.front();
  if (answer.verdict.bound_by != Cause::none_reached || caller.stop.requested()) return;
  auto choice = choose_library(session, problem, "auto", caller);
  if (!choice || choice->way.variant.name == point.library) return;
  Plan plan;
  plan.stopping = {1, 1000, Seconds(0.2), 0.01};
  auto measured = measure(*choice->way.backend, session.device, problem, choice->way.variant,
                          placement_of(session.device.box, session.threads), plan, caller.stop,
                          caller.progress);
  if (!measured || !measured->check.passed || measured->time.high >= point.time.low) return;
  Remedy remedy = measured_remedy(format("use {} instead of {}: measured here, just now",
                                         choice->way.variant.name, point.library),
                                  point.time, measured->time);
  answer.verdict.remedies.insert(answer.verdict.remedies.begin(), std::move(remedy));
}

// What the model says other inputs would buy. Where no ceiling is reached it has nothing to say.
void offer_edits(MatmulAnswer& answer, const DeviceProfile& profile, const Problem& problem,
                 const RoofFound& found, int threads) {
  const Cause bound_by = answer.verdict.bound_by;
  if (bound_by == Cause::none_reached || bound_by == Cause::cannot_tell) return;
  const Operation operation = operation_of(problem);
  answer.verdict.remedies = roofline_remedies(operation, found.roof);
  if (answer.verdict.breakdown.kind == Breakdown::Kind::sum) {
    answer.verdict.remedies.push_back(
        without_cause_remedy("lift the CPU quota", answer.verdict.breakdown, Cause::quota));
    sort_by_gain(answer.verdict.remedies);
  }
  if (problem.dtype != DataType::f32) return;
  Problem smaller = problem;
  smaller.dtype = DataType::bf16;
  const Operation other = operation_of(smaller);
  auto roof = roof_of(profile, other, threads);
  if (roof && roof->roof.arithmetic_ceiling != found.roof.arithmetic_ceiling) {
    answer.verdict.remedies.push_back(other_type_remedy(operation, found.roof, other, roof->roof));
  }
  sort_by_gain(answer.verdict.remedies);
}

void explain(MatmulAnswer& answer, const RoofFound& found, const DeviceProfile& profile,
             const Problem& problem) {
  if (found.from_cache) {
    answer.verdict.because.push_back(
        format("the three matrices ({}) fit in the last-level cache ({}), so DRAM is no bound here",
               show_binary(problem.work().footprint), show_binary(profile.last_level_cache)));
  } else if (auto side = beside_the_ridge(operation_of(problem), found.roof)) {
    answer.verdict.because.push_back(std::move(*side));
  }
}

void settle_state(MatmulAnswer& answer, const Run& run, const Warnings& roof) {
  AnswerState& state = answer.state;
  const Measurement& measured = run.measured;
  state.complete = measured.complete;
  state.standing = worse(measured.standing, answer.verdict.standing);
  const bool void_result = measured.standing >= Standing::invalid;
  if (!measured.complete && !void_result) {
    state.standing = worse(state.standing, Standing::degraded);
    state.warnings.push_back(
        {"incomplete", format("stopped early, after {} of {} rounds", measured.time.samples,
                              plan_of(run.options).restarts)});
  }
  if (measured.executed != run.problem.shape) {
    const double rows = static_cast<double>(run.problem.shape.m);
    state.warnings.push_back(
        {"partial_rows",
         format("only the first {} of {} rows were computed; the time is {} times theirs",
                measured.executed.m, run.problem.shape.m,
                show_number(rows / static_cast<double>(measured.executed.m)))});
  }
  for (const Warnings* list :
       {&measured.warnings, &roof, static_cast<const Warnings*>(&answer.verdict.warnings)}) {
    state.warnings.insert(state.warnings.end(), list->begin(), list->end());
  }
  for (const Warning& warning : roof) {
    if (warning.code == "ceiling_degraded") {
      state.standing = worse(state.standing, Standing::degraded);
    }
  }
}

// The bound of this run: its work under the roof, and the time a quota stopped it.
Breakdown bound_of(const Run& run, const Operation& operation, const Roof& roof,
                   const Estimate<Seconds>& time) {
  Breakdown work = roofline(operation, roof);
  const double stopped = run.measured.conditions.throttled_share.value_or(0);
  if (stopped < kQuotaCounts) return work;
  return sum_of("matmul under a CPU quota",
                {std::move(work), charge("being stopped by the CPU quota", Cause::quota,
                                         "limits.quota", scale(time, stopped))});
}

// A wrong result: nothing may be said of its time.
Verdict void_verdict(const Run& run, const Breakdown& bound, const Estimate<Seconds>& time) {
  Verdict verdict;
  verdict.breakdown = bound;
  verdict.headroom = time / total(bound);
  verdict.standing = run.measured.standing;
  verdict.because = {"the result was wrong, so the time it took says nothing"};
  return verdict;
}

// Puts the run under these ceilings.
Result<MatmulAnswer> place(const Run& run, const Session& session, const KnownCeilings& known) {
  const Operation operation = operation_of(run.problem);
  auto found = roof_of(known.device, operation, session.threads);
  if (!found) return fail(found.error());
  MatmulAnswer answer;
  answer.device = facts_of(session.device);
  answer.tried = run.choice.tried;
  for (const Found& used : found->used) {
    answer.ceilings.push_back({used.name, used.ceiling.unit, used.ceiling.burst});
  }
  answer.points = {
      point_of(run.options, session, run.problem, run.choice.way, run.measured, *found)};
  const Estimate<Seconds>& time = answer.points.front().time;
  const Breakdown bound = bound_of(run, operation, found->roof, time);
  if (run.measured.standing >= Standing::invalid) {
    answer.verdict = void_verdict(run, bound, time);
  } else {
    answer.verdict = judge(bound, time, disturbances(run.measured.conditions));
    drop_unused_memories(*found, answer.verdict.breakdown);
    allow_for_unprobed_units(answer.verdict, session.device.box, run.problem.dtype);
    explain(answer, *found, known.device, run.problem);
    offer_edits(answer, known.device, run.problem, *found, session.threads);
  }
  answer.points.front().bound_by = answer.verdict.bound_by;
  draw_roof(answer, *found);
  found->warnings.insert(found->warnings.end(), known.warnings.begin(), known.warnings.end());
  settle_state(answer, run, found->warnings);
  return answer;
}

// A point above its ceiling never raises it: the ceiling's own probe must find the higher value.
Result<MatmulAnswer> place_under_fresh(const Run& run, Session& session, const Caller& caller) {
  caller.progress.note("this product is faster than the ceiling on record: probing again");
  auto known = ceilings_of(session, run.options.where, caller, true);
  if (!known) return fail(known.error());
  return place(run, session, *known);
}

}  // namespace

Result<MatmulAnswer> matmul(const MatmulOptions& options, const Caller& caller) {
  auto problem = problem_of(options);
  if (!problem) return fail(problem.error());
  auto session = open_session(options.where, caller.stop);
  if (!session) return fail(session.error());
  if (auto room = fits(*problem, session->device); !room) return fail(room.error());
  if (options.library != "auto") {
    // A name that cannot be used is told before anything is measured.
    auto known = choose_library(*session, *problem, options.library, caller);
    if (!known) return fail(known.error());
  }
  auto ceilings = ceilings_of(*session, options.where, caller);
  if (!ceilings) return fail(ceilings.error());
  auto choice = choose_library(*session, *problem, options.library, caller);
  if (!choice) return fail(choice.error());
  auto measured = measure(*choice->way.backend, session->device, *problem, choice->way.variant,
                          placement_of(session->device.box, session->threads), plan_of(options),
                          caller.stop, caller.progress);
  if (!measured) return fail(measured.error());

  const Run run{options, *problem, *choice, *measured};
  auto answer = place(run, *session, *ceilings);
  const bool broken = answer && measured->standing < Standing::invalid &&
                      answer->verdict.standing == Standing::invalid;
  if (broken && options.where.profile.empty() && !caller.stop.requested()) {
    auto again = place_under_fresh(run, *session, caller);
    if (again) {
      answer = std::move(again);
    } else if (again.error().code == ErrorCode::interrupted) {
      answer->state.complete = false;  // what was measured is kept
    }
  }
  if (answer) offer_library(*answer, *session, *problem, caller);
  return answer;
}

}  // namespace roofbeam
