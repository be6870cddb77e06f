// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/runner.h"

#include <algorithm>
#include <cmath>

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
constexpr int kSustainedSegments = 5;

int repeats_for(Seconds wanted, double one) {
  if (!(one > 0)) return kMostRepeats;
  return static_cast<int>(std::clamp(std::ceil(wanted.value() / one), 1.0, double(kMostRepeats)));
}

double seconds(const Spans& spans) {
  const Span whole = extent(spans);
  return 1e-9 * static_cast<double>(whole.end_ns - whole.start_ns);
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
    if (!(one > 0)) {
      return failed("an execution took no time, so nothing can be measured", "",
                    "the clock is too coarse for this size: try a larger one");
    }
    spent += std::max(seconds(*spans), 1e-9);
    repeats = std::min(repeats * 4, repeats_for(plan.warm_up, one));
  } while (spent < plan.warm_up.value() && !stop.requested());
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

// The uninterrupted rate in five segments, whose spread is its interval.
Result<Estimate<Seconds>> sustain(Kernel& kernel, const Plan& plan, double one,
                                  const StopToken& stop) {
  const int repeats = repeats_for(plan.sustained / kSustainedSegments, one);
  std::vector<double> segments;
  for (int i = 0; i < kSustainedSegments && !stop.requested(); ++i) {
    auto spans = kernel.run(repeats, stop);
    if (!spans) return fail(spans.error());
    if (const double time = sustained_time(*spans); time > 0) segments.push_back(time);
  }
  if (segments.empty()) return fail({ErrorCode::interrupted, "stopped", "", ""});
  return as<Seconds>(estimate_of_restarts(segments, Method::median));
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

}  // namespace

Result<Measurement> measure(Backend& backend, const Device& device, const Problem& problem,
                            const Variant& variant, const Placement& placement, const Plan& plan,
                            const StopToken& stop, ProgressSink& progress) {
  Measurement result;
  std::vector<double> figures;
  const DeviceState before = backend.state(device, placement);
  for (int restart = 0; restart < plan.restarts; ++restart) {
    progress.step(format("{} by {}", problem.spec->name, variant.name), restart, plan.restarts);
    auto kernel = backend.prepare(device, problem, variant, placement);
    if (!kernel) return fail(kernel.error());
    auto sampled = sample(**kernel, plan, stop);
    if (!sampled) {
      if (sampled.error().code == ErrorCode::interrupted && !figures.empty()) break;
      return fail(sampled.error());
    }
    if (!sampled->times.empty()) {
      figures.push_back(plan.method == Method::best ? quantile(sampled->times, kBestQuantile)
                                                    : median(sampled->times));
      result.executions += static_cast<int>(sampled->times.size());
    }
    if (restart == 0) {
      result.executed = (*kernel)->executed_shape();
      auto check = (*kernel)->check();
      if (!check) return fail(check.error());
      result.check = *check;
      if (!result.check.passed) break;
    }
    if (stop.requested()) break;
    if (restart + 1 == plan.restarts && plan.sustained > Seconds(0)) {
      auto sustained = sustain(**kernel, plan, sampled->one, stop);
      if (sustained) result.sustained = *sustained;
    }
  }
  if (figures.empty()) {
    if (stop.requested()) return fail({ErrorCode::interrupted, "stopped before a figure", "", ""});
    return failed("no undisturbed window was seen", variant.name, "try again on a quieter machine");
  }
  result.complete = !stop.requested();
  result.time = as<Seconds>(estimate_of_restarts(figures, plan.method));
  result.conditions = conditions_between(before, backend.state(device, placement), placement);
  judge(result);
  return result;
}

}  // namespace roofbeam
