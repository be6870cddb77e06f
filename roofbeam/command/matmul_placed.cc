// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul_placed.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/command/roof.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/verdict/judge.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

constexpr double kQuotaCounts = 0.01;  // share of the time from which a quota is part of the bound

// One run under the ceilings.
struct PlacedRun {
  RoofFound found;
  MatmulPoint point;
  Verdict verdict;
  AnswerState state;
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

MatmulPoint point_of(const Run& run, const Session& session, const RoofFound& found) {
  const Problem& problem = run.problem;
  const Measurement& measured = run.measured;
  const Work executed = problem.spec->work(measured.executed, problem.dtype);
  MatmulPoint point;
  point.m = problem.shape.m;
  point.n = problem.shape.n;
  point.k = problem.shape.k;
  point.dtype = std::string(name(problem.dtype));
  point.device = session.device.id;
  point.library = run.way.variant.name;
  point.threads = run.threads;
  point.reps = measured.executions;
  point.rounds = measured.time.samples;
  point.rows = measured.executed.m;
  point.constant = problem.operands == Operands::constant;
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

// What the model says other inputs would buy. Where no ceiling is reached it has nothing to say.
void offer_edits(Verdict& verdict, const DeviceProfile& profile, const Run& run,
                 const RoofFound& found) {
  const Cause bound_by = verdict.bound_by;
  if (bound_by == Cause::none_reached || bound_by == Cause::cannot_tell) return;
  const Operation operation = operation_of(run.problem);
  verdict.remedies = roofline_remedies(operation, found.roof);
  if (verdict.breakdown.kind == Breakdown::Kind::sum) {
    verdict.remedies.push_back(
        without_cause_remedy("lift the CPU quota", verdict.breakdown, Cause::quota));
    sort_by_gain(verdict.remedies);
  }
  if (run.problem.dtype != DataType::f32) return;
  Problem smaller = run.problem;
  smaller.dtype = DataType::bf16;
  const Operation other = operation_of(smaller);
  auto roof = roof_of(profile, other, run.threads);
  if (roof && roof->roof.arithmetic_ceiling != found.roof.arithmetic_ceiling) {
    verdict.remedies.push_back(other_type_remedy(operation, found.roof, other, roof->roof));
  }
  sort_by_gain(verdict.remedies);
}

void explain(Verdict& verdict, const RoofFound& found, const DeviceProfile& profile,
             const Problem& problem) {
  if (found.from_cache) {
    verdict.because.push_back(
        format("the three matrices ({}) fit in the last-level cache ({}), so DRAM is no bound here",
               show_binary(problem.work().footprint), show_binary(profile.last_level_cache)));
  } else if (auto side = beside_the_ridge(operation_of(problem), found.roof)) {
    verdict.because.push_back(std::move(*side));
  }
}

// How far the run can be trusted, and what has to be said of it.
AnswerState state_of(const Run& run, const Verdict& verdict, const Warnings& roof) {
  AnswerState state;
  const Measurement& measured = run.measured;
  state.complete = measured.complete;
  state.standing = worse(measured.standing, verdict.standing);
  const bool void_result = measured.standing >= Standing::invalid;
  if (!measured.complete && !void_result) {
    state.standing = worse(state.standing, Standing::degraded);
    state.warnings.push_back({"incomplete", format("stopped early, after {} of {} rounds",
                                                   measured.time.samples, Plan().restarts)});
  }
  if (measured.executed != run.problem.shape) {
    const double rows = static_cast<double>(run.problem.shape.m);
    state.warnings.push_back(
        {"partial_rows",
         format("only the first {} of {} rows were computed; the time is {} times theirs",
                measured.executed.m, run.problem.shape.m,
                show_number(rows / static_cast<double>(measured.executed.m)))});
  }
  for (const Warnings* list : {&measured.warnings, &roof, &verdict.warnings}) {
    state.warnings.insert(state.warnings.end(), list->begin(), list->end());
  }
  for (const Warning& warning : roof) {
    if (warning.code == "ceiling_degraded") {
      state.standing = worse(state.standing, Standing::degraded);
    }
  }
  return state;
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

Result<PlacedRun> place(const Run& run, const Session& session, const KnownCeilings& known) {
  const Operation operation = operation_of(run.problem);
  auto found = roof_of(known.device, operation, run.threads);
  if (!found) return fail(found.error());
  PlacedRun placed;
  placed.point = point_of(run, session, *found);
  placed.found = std::move(*found);
  const Estimate<Seconds>& time = placed.point.time;
  const Breakdown bound = bound_of(run, operation, placed.found.roof, time);
  if (run.measured.standing >= Standing::invalid) {
    placed.verdict = void_verdict(run, bound, time);
  } else {
    placed.verdict = judge(bound, time, disturbances(run.measured.conditions));
    drop_unused_memories(placed.found, placed.verdict.breakdown);
    allow_for_unprobed_units(placed.verdict, session.device.box, run.problem.dtype);
    explain(placed.verdict, placed.found, known.device, run.problem);
    offer_edits(placed.verdict, known.device, run, placed.found);
  }
  placed.point.bound_by = placed.verdict.bound_by;
  Warnings of_roof = placed.found.warnings;
  of_roof.insert(of_roof.end(), known.warnings.begin(), known.warnings.end());
  placed.state = state_of(run, placed.verdict, of_roof);
  return placed;
}

// Of another point than the judged one: what is not said yet, and whose it is.
void add_warnings(AnswerState& state, const AnswerState& other, const std::string& label) {
  const std::set<std::string> of_each = {"partial_rows", "wrong_result", "above_ceiling"};
  for (const Warning& warning : other.warnings) {
    const bool said = std::any_of(state.warnings.begin(), state.warnings.end(),
                                  [&](const Warning& w) { return w.code == warning.code; });
    if (said && of_each.count(warning.code) == 0) continue;
    state.warnings.push_back({warning.code, format("{}: {}", label, warning.text)});
  }
}

MatmulAnswer joined(const std::vector<PlacedRun>& all, const std::vector<Run>& runs,
                    std::size_t judged, const Session& session) {
  MatmulAnswer answer;
  answer.device = facts_of(session.device);
  answer.judged = static_cast<int>(judged);
  answer.verdict = all[judged].verdict;
  answer.state = all[judged].state;
  std::set<std::string> named;
  const auto name_ceilings = [&](const PlacedRun& placed) {
    for (const Found& used : placed.found.used) {
      if (!named.insert(used.name).second) continue;
      answer.ceilings.push_back({used.name, used.ceiling.unit, used.ceiling.burst});
    }
  };
  name_ceilings(all[judged]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    answer.points.push_back(all[i].point);
    name_ceilings(all[i]);
    if (i == judged) continue;
    answer.state.standing = worse(answer.state.standing, all[i].state.standing);
    answer.state.complete = answer.state.complete && all[i].state.complete;
    add_warnings(answer.state, all[i].state, label_of(runs[i], runs));
  }
  draw_roof(answer, all[judged].found);
  return answer;
}

Result<std::vector<PlacedRun>> place_all(const std::vector<Run>& runs, const Session& session,
                                         const KnownCeilings& known) {
  std::vector<PlacedRun> all;
  for (const Run& run : runs) {
    auto one = place(run, session, known);
    if (!one) return fail(one.error());
    all.push_back(std::move(*one));
  }
  return all;
}

bool above_a_ceiling(const std::vector<PlacedRun>& all, const std::vector<Run>& runs) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool right = runs[i].measured.standing < Standing::invalid;
    if (right && all[i].verdict.standing == Standing::invalid) return true;
  }
  return false;
}

}  // namespace

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

std::string label_of(const Run& run, const std::vector<Run>& runs) {
  std::vector<std::string> parts;
  const auto differs = [&](auto fact) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const Run& other) { return fact(other) != fact(run); });
  };
  if (differs([](const Run& r) { return r.problem.shape.n; })) {
    parts.push_back(format("n = {}", run.problem.shape.n));
  }
  if (differs([](const Run& r) { return r.threads; })) {
    parts.push_back(counted(run.threads, "thread", "threads"));
  }
  if (differs([](const Run& r) { return r.way.variant.name; })) {
    parts.push_back(run.way.variant.name);
  }
  if (differs([](const Run& r) { return r.problem.operands; })) {
    parts.emplace_back(run.problem.operands == Operands::constant ? "constant" : "random");
  }
  return join(parts, ", ");
}

Result<MatmulAnswer> placed(const std::vector<Run>& runs, std::size_t judged, Session& session,
                            const DeviceOptions& where, const KnownCeilings& known,
                            const Caller& caller) {
  auto all = place_all(runs, session, known);
  if (!all) return fail(all.error());
  MatmulAnswer answer = joined(*all, runs, judged, session);
  if (!above_a_ceiling(*all, runs) || !where.profile.empty() || caller.stop.requested()) {
    return answer;
  }
  caller.progress.note("this product is faster than the ceiling on record: probing again");
  auto fresh = ceilings_of(session, where, caller, true);
  if (!fresh) {
    // What was measured is kept.
    if (fresh.error().code == ErrorCode::interrupted) answer.state.complete = false;
    return answer;
  }
  all = place_all(runs, session, *fresh);
  return all ? joined(*all, runs, judged, session) : answer;
}

}  // namespace roofbeam
