// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/matmul.h"

#include <algorithm>
#include <cmath>

#include "roofbeam/base/format.h"
#include "roofbeam/command/matmul_choice.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/suite.h"
#include "roofbeam/model/roofline.h"
#include "roofbeam/profile/lookup.h"
#include "roofbeam/verdict/judge.h"
#include "roofbeam/verdict/remedies.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 24;  // keeps every product of sizes exact
constexpr const char* kMemory = "dram";

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
  operation.traffic = {{kMemory, work.bytes_read, work.bytes_written}};
  operation.footprint = work.footprint;
  return operation;
}

struct RoofFound {
  Roof roof;
  std::vector<MatmulAnswer::NamedCeiling> ceilings;
  Warnings warnings;
  bool from_cache = false;  // the operands fit in the last-level cache, so DRAM is no bound
};

Result<RoofFound> roof_of(const DeviceProfile& profile, const Operation& operation, int threads) {
  auto arithmetic = arithmetic_ceiling(profile, operation.dtype, threads);
  if (!arithmetic) return fail(arithmetic.error());
  auto memory = read_ceiling(profile, kMemory, threads);
  if (!memory) return fail(memory.error());
  RoofFound found;
  found.roof.arithmetic_ceiling = arithmetic->name;
  found.roof.arithmetic = as<FlopRate>(arithmetic->ceiling.burst);
  found.from_cache = operation.footprint <= profile.last_level_cache;
  if (!found.from_cache) {
    found.roof.memories = {{kMemory, memory->name, as<ByteRate>(memory->ceiling.burst)}};
  }
  for (const Found* used : {&*arithmetic, &*memory}) {
    found.ceilings.push_back({used->name, used->ceiling.unit, used->ceiling.burst});
    if (used == &*memory && found.from_cache) continue;  // it is only in the picture
    if (!used->fell_back.empty()) found.warnings.push_back({"fell_back", used->fell_back});
    if (used->ceiling.standing == Standing::degraded) {
      found.warnings.push_back({"ceiling_degraded", used->name + ": " + used->ceiling.reason});
    }
  }
  return found;
}

// The roof from far left of its ridge to right of the point, for the picture.
void draw_roof(MatmulAnswer& answer, const RoofFound& found, const DeviceProfile& profile,
               int threads) {
  Roof roof = found.roof;
  if (roof.memories.empty()) {
    const Found memory = *read_ceiling(profile, kMemory, threads);
    roof.memories = {{kMemory, memory.name, as<ByteRate>(memory.ceiling.burst)}};
  }
  const Roof::Memory& memory = roof.memories.front();
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
  point.check_passed = measured.check.passed;
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
             const Measurement& measured, const Problem& problem) {
  if (found.from_cache) {
    answer.verdict.because.push_back(
        format("the three matrices ({}) fit in the last-level cache ({}), so DRAM is no bound here",
               show_binary(problem.work().footprint), show_binary(profile.last_level_cache)));
  } else {
    const Intensity corner = ridge(found.roof, found.roof.memories.front());
    const Intensity at = problem.work().flops / problem.work().bytes();
    answer.verdict.because.push_back(format("{} lies {} the ridge at {}: {} is what counts",
                                            show(at), at >= corner ? "right of" : "left of",
                                            show(corner),
                                            at >= corner ? "arithmetic" : "memory bandwidth"));
  }
  if (measured.executed != problem.shape) {
    answer.state.warnings.push_back(
        {"partial_rows", format("only the first {} of {} rows were computed; the time is {} times "
                                "theirs",
                                measured.executed.m, problem.shape.m,
                                show_number(static_cast<double>(problem.shape.m) /
                                            static_cast<double>(measured.executed.m)))});
  }
}

void settle_state(MatmulAnswer& answer, const Measurement& measured, const Warnings& roof) {
  AnswerState& state = answer.state;
  state.complete = measured.complete;
  state.standing = worse(measured.standing, answer.verdict.standing);
  if (!measured.complete) {
    state.standing = worse(state.standing, Standing::degraded);
    state.warnings.push_back({"incomplete", format("stopped early: this stands on {} of the "
                                                   "re-initialisations planned",
                                                   measured.time.samples)});
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

// Units that multiply matrices in this type and that no probe of ours reaches yet.
constexpr std::pair<DataType, const char*> kUnprobed[] = {{DataType::bf16, "amx_bf16"},
                                                          {DataType::bf16, "bf16"}};

// Beside such units the ceiling is only a floor: lying above it breaks no promise.
void allow_for_unprobed_units(MatmulAnswer& answer, const Device& device, DataType dtype) {
  for (const auto& [type, feature] : kUnprobed) {
    if (type != dtype || !device.box.has(feature)) continue;
    answer.verdict.warnings.push_back(
        {"unprobed_units", format("this CPU multiplies matrices in {} by {}, which is not probed "
                                  "yet: its true ceiling may lie higher",
                                  name(dtype), feature)});
    if (answer.verdict.standing != Standing::invalid) return;
    answer.verdict.standing = Standing::degraded;
    answer.verdict.bound_by = Cause::cannot_tell;
    answer.verdict.bound_level.clear();
    return;
  }
}

// What was measured, on its own: everything before ceilings come into it.
struct Run {
  MatmulOptions options;
  Problem problem;
  Choice choice;
  Measurement measured;
};

// Puts the run under these ceilings.
Result<MatmulAnswer> place(const Run& run, const Session& session, const DeviceProfile& profile) {
  const Operation operation = operation_of(run.problem);
  auto found = roof_of(profile, operation, session.threads);
  if (!found) return fail(found.error());
  MatmulAnswer answer;
  answer.device = facts_of(session.device);
  answer.tried = run.choice.tried;
  answer.ceilings = found->ceilings;
  MatmulPoint point =
      point_of(run.options, session, run.problem, run.choice.way, run.measured, *found);
  answer.verdict =
      judge(roofline(operation, found->roof), point.time, disturbances(run.measured.conditions));
  if (run.measured.standing >= Standing::invalid) {
    answer.verdict.standing = run.measured.standing;
    answer.verdict.bound_by = Cause::cannot_tell;
    answer.verdict.bound_level.clear();
    answer.verdict.because = {"the result was wrong, so the time it took says nothing"};
  }
  answer.points = {point};
  allow_for_unprobed_units(answer, session.device, run.problem.dtype);
  explain(answer, *found, profile, run.measured, run.problem);
  offer_edits(answer, profile, run.problem, *found, session.threads);
  answer.points.front().bound_by = answer.verdict.bound_by;
  draw_roof(answer, *found, profile, session.threads);
  settle_state(answer, run.measured, found->warnings);
  return answer;
}

// A point above its ceiling never raises it: the ceiling's own probe must find the higher value.
Result<MatmulAnswer> place_under_fresh(const Run& run, Session& session, const Caller& caller) {
  caller.progress.note("this product is faster than the ceiling on record: probing again");
  auto profile = ceilings_of(session, run.options.where, caller, true);
  if (!profile) return fail(profile.error());
  return place(run, session, *profile);
}

}  // namespace

Result<MatmulAnswer> matmul(const MatmulOptions& options, const Caller& caller) {
  auto problem = problem_of(options);
  if (!problem) return fail(problem.error());
  auto session = open_session(options.where);
  if (!session) return fail(session.error());
  if (auto room = fits(*problem, session->device); !room) return fail(room.error());
  if (options.library != "auto") {
    // A name that cannot be used is told before anything is measured.
    auto known = choose_library(*session, *problem, options.library, caller);
    if (!known) return fail(known.error());
  }
  auto profile = ceilings_of(*session, options.where, caller);
  if (!profile) return fail(profile.error());
  auto choice = choose_library(*session, *problem, options.library, caller);
  if (!choice) return fail(choice.error());
  auto measured = measure(*choice->way.backend, session->device, *problem, choice->way.variant,
                          placement_of(session->device.box, session->threads), plan_of(options),
                          caller.stop, caller.progress);
  if (!measured) return fail(measured.error());

  const Run run{options, *problem, *choice, *measured};
  auto answer = place(run, *session, *profile);
  const bool broken = answer && measured->standing < Standing::invalid &&
                      answer->verdict.standing == Standing::invalid;
  if (broken && options.where.profile.empty() && !caller.stop.requested()) {
    answer = place_under_fresh(run, *session, caller);
  }
  if (answer) offer_library(*answer, *session, *problem, caller);
  return answer;
}

}  // namespace roofbeam
