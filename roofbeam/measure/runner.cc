// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/runner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "roofbeam/base/format.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/windows.h"
#include "roofbeam/stats/restarts.h"
#include "roofbeam/stats/robust.h"

namespace roofbeam {
namespace {

constexpr int kMostRepeats = 1 << 20;
// A ceiling is the border of the fastest tenth of the windows: the very fastest grows with their
// number and with the clock's grain.
constexpr double kBestQuantile = 0.1;

int repeats_for(Seconds wanted, double one) {
  if (!(one > 0)) return kMostRepeats;
  return static_cast<int>(std::clamp(std::ceil(wanted.value() / one), 1.0, double(kMostRepeats)));
}

double seconds(const Spans& spans) {
  const Span whole = extent(spans);
  return 1e-9 * static_cast<double>(whole.end_ns - whole.start_ns);
}

tl::unexpected<Error> interrupted() {
  return fail({ErrorCode::interrupted, "stopped before a figure", "", ""});
}

// Runs until `plan.warm_up` is over; returns about how long one execution takes.
Result<double> warm_up(Kernel& kernel, const Plan& plan, const StopToken& stop) {
  double spent = 0;
  double one = 0;
  int repeats = 1;
  do {
    auto spans = kernel.run(repeats, stop);
    if (!spans) return fail(spans.error());
    one = sustained_time(*spans);
    if (stop.requested()) return interrupted();
    if (!(one > 0)) {
      return failed("an execution took no time, so nothing can be measured", "",
                    "the clock is too coarse for this size: try a larger one");
    }
    spent += std::max(seconds(*spans), 1e-9);
    repeats = std::min(repeats * 4, repeats_for(plan.warm_up, one));
  } while (spent < plan.warm_up.value());
  return one;
}

struct Sampled {
  std::vector<double> times;  // seconds per execution
  double one = 0;             // about how long one takes
  bool complete = true;
};

Result<Sampled> sample(Kernel& kernel, const Plan& plan, const StopToken& stop) {
  auto one = warm_up(kernel, plan, stop);
  if (!one) return fail(one.error());
  Sampled sampled;
  sampled.one = *one;
  const int repeats = repeats_for(plan.batch, *one);
  double spent = 0;
  do {
    auto spans = kernel.run(repeats, stop);
    if (!spans && spans.error().code == ErrorCode::interrupted && !sampled.times.empty()) {
      sampled.complete = false;  // a library's worker is gone, but not what it said before
      break;
    }
    if (!spans) return fail(spans.error());
    const std::vector<double> times = window_times(*spans);
    sampled.times.insert(sampled.times.end(), times.begin(), times.end());
    spent += std::max(seconds(*spans), 1e-9);
    if (stop.requested()) {
      sampled.complete = false;
      break;
    }
  } while (!enough(plan.stopping, sampled.times, Seconds(spent)));
  return sampled;
}

// Lowers the standing for what the conditions and the check say.
void judge(Measurement& result) {
  for (Warning& disturbance : disturbances(result.conditions)) {
    result.standing = worse(result.standing, Standing::degraded);
    result.warnings.push_back(std::move(disturbance));
  }
  if (!result.check.passed) {
    result.standing = Standing::invalid;
    result.warnings.push_back({"wrong_result", result.check.complaint});
  }
}

// What one re-initialisation gave.
struct Round {
  double figure = 0;  // seconds per execution; 0 where no window was seen
  int executions = 0;
  bool complete = true;
  Shape executed;
  Check check;
  double sustained = 0;  // seconds per execution without a pause; 0 where it was not run
};

// A problem made ready anew, on operands of its own, measured and checked.
Result<Round> measure_round(Backend& backend, const Device& device, const Problem& problem,
                            const Variant& variant, const Placement& placement, const Plan& plan,
                            const StopToken& stop) {
  auto kernel = backend.prepare(device, problem, variant, placement, stop);
  if (!kernel) return fail(kernel.error());
  auto sampled = sample(**kernel, plan, stop);
  if (!sampled) return fail(sampled.error());
  Round round;
  round.complete = sampled->complete;
  round.executed = (*kernel)->executed_shape();
  round.executions = static_cast<int>(sampled->times.size());
  if (!sampled->times.empty()) {
    round.figure = plan.method == Method::best ? quantile(sampled->times, kBestQuantile)
                                               : median(sampled->times);
  }
  if (!round.complete) {
    round.check = {true, false, "not checked: it was stopped", 0, ""};
    return round;
  }
  auto check = (*kernel)->check(stop);
  if (!check) return fail(check.error());
  round.check = *check;
  if (plan.sustained > Seconds(0) && !stop.requested()) {
    auto spans = (*kernel)->run(repeats_for(plan.sustained / plan.restarts, sampled->one), stop);
    if (spans) round.sustained = sustained_time(*spans);
  }
  return round;
}

// Rounds may have executed different parts of the problem: by how much `part` is less than `whole`.
double share_of_work(const KernelSpec& spec, DataType dtype, const Shape& part,
                     const Shape& whole) {
  const Work a = spec.work(part, dtype);
  const Work b = spec.work(whole, dtype);
  return b.flops > Flops(0) ? a.flops / b.flops : a.bytes() / b.bytes();
}

}  // namespace

Result<Measurement> measure(Backend& backend, const Device& device, const Problem& problem,
                            const Variant& variant, const Placement& placement, const Plan& plan,
                            const StopToken& stop, ProgressSink& progress) {
  Measurement result;
  std::vector<double> figures;
  std::vector<double> sustained;
  const DeviceState before = backend.state(device, placement);
  DeviceState after = before;
  for (int restart = 0; restart < plan.restarts && !stop.requested(); ++restart) {
    progress.step(format("{} by {}", problem.spec->name, variant.name), restart, plan.restarts);
    Problem fresh = problem;
    fresh.seed = problem.seed + static_cast<std::uint64_t>(restart);
    auto round = measure_round(backend, device, fresh, variant, placement, plan, stop);
    if (!round && round.error().code == ErrorCode::interrupted && !figures.empty()) break;
    if (!round) return fail(round.error());
    // After a stop a half-sampled round counts only where there is no whole one.
    if (!round->complete && !figures.empty()) break;
    if (figures.empty()) result.executed = round->executed;
    if (round->figure > 0) {
      figures.push_back(round->figure / share_of_work(*problem.spec, problem.dtype, round->executed,
                                                      result.executed));
      result.executions += round->executions;
    }
    const double slowest = std::min(after.clock_ratio.value_or(1), 1.0);
    after = backend.state(device, placement);
    if (after.clock_ratio) after.clock_ratio = std::min(*after.clock_ratio, slowest);
    if (round->sustained > 0) sustained.push_back(round->sustained);
    result.check = round->check;
    if (!result.check.passed) break;
  }
  if (figures.empty()) {
    if (stop.requested()) return interrupted();
    return failed("no undisturbed window was seen", variant.name, "try again on a quieter machine");
  }
  // A wrong result ends it too, and is no interruption.
  result.complete = !result.check.passed ||
                    (static_cast<int>(figures.size()) == plan.restarts && result.check.done);
  if (!sustained.empty()) {
    result.sustained = as<Seconds>(estimate_of_restarts(sustained, Method::median));
  }
  result.time = as<Seconds>(estimate_of_restarts(figures, plan.method));
  result.conditions = conditions_between(before, after, placement);
  judge(result);
  return result;
}

}  // namespace roofbeam
