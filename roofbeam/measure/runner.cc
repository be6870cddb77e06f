// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/runner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/restart.h"
#include "roofbeam/stats/restarts.h"
#include "roofbeam/stats/robust.h"

namespace roofbeam {
namespace {

constexpr double kSlowClock = 0.97;  // of the fastest restart's: slower is another state
constexpr int kMostRestarts = 3;     // times those asked for, to make up for slow ones
constexpr std::size_t kLeastFast = 3;
// A restart this far on the slow side of the others (in deviations, by their median distance, and
// in parts of the figure) ran beside something that this system does not see: another tenant on the
// other thread of a core, say.
constexpr double kFarDeviations = 8;
constexpr double kFarShare = 0.03;
constexpr double kDeviationOfMad = 1.4826;  // of a normal distribution

// Restarts may have executed different parts of the problem: by how much `part` is less than
// `whole`.
double share_of_work(const KernelSpec& spec, DataType dtype, const Shape& part,
                     const Shape& whole) {
  const Work a = spec.work(part, dtype);
  const Work b = spec.work(whole, dtype);
  if (b.flops > Flops(0)) return a.flops / b.flops;
  if (b.bytes() > Bytes(0)) return a.bytes() / b.bytes();
  return static_cast<double>(part.n) / static_cast<double>(whole.n);
}

// How fast the clock of each restart was, in a unit of their own; all alike where it is not known.
std::vector<double> speeds_of(const std::vector<Restart>& restarts) {
  std::vector<double> clocks;
  std::vector<double> ratios;
  for (const Restart& one : restarts) {
    if (one.clock_hz) clocks.push_back(*one.clock_hz);
    if (one.clock_ratio) ratios.push_back(*one.clock_ratio);
  }
  if (clocks.size() == restarts.size()) return clocks;
  if (ratios.size() == restarts.size()) return ratios;
  return std::vector<double>(restarts.size(), 1.0);
}

// The restarts an estimate stands on.
struct Chosen {
  std::vector<const Restart*> restarts;
  int far = 0;                // of all, those left out for being far slower than the others
  double far_ratio = 1;       // the slowest of them, as a rate to the median
  int slow = 0;               // of all, those at a slower clock
  double slow_ratio = 1;      // the slowest of them, to the fastest restart
  bool without_slow = false;  // they are left out
};

// Leaves out what is far slower than the rest, where enough is left. Of ceilings only: what work
// really takes, its slow runs are part of.
void leave_far_out(Chosen& chosen) {
  std::vector<double> figures;
  for (const Restart* one : chosen.restarts) figures.push_back(one->figure);
  if (figures.size() <= kLeastFast) return;
  const double middle = median(figures);
  std::vector<double> distances;
  for (const double figure : figures) distances.push_back(std::abs(figure - middle));
  const double deviation = kDeviationOfMad * median(distances);
  const double limit = middle + std::max(kFarDeviations * deviation, kFarShare * middle);
  const auto beyond = [limit](const Restart* one) { return one->figure > limit; };
  const auto count = std::count_if(chosen.restarts.begin(), chosen.restarts.end(), beyond);
  if (count == 0 || chosen.restarts.size() < kLeastFast + static_cast<std::size_t>(count)) return;
  chosen.far = static_cast<int>(count);
  chosen.far_ratio = middle / *std::max_element(figures.begin(), figures.end());
  std::erase_if(chosen.restarts, beyond);
}

Chosen choose(const std::vector<Restart>& all, Method method) {
  const std::vector<double> speeds = speeds_of(all);
  Chosen chosen;
  if (all.empty()) return chosen;
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (speeds[i] >= kSlowClock * fastest) {
      chosen.restarts.push_back(&all[i]);
      continue;
    }
    ++chosen.slow;
    chosen.slow_ratio = std::min(chosen.slow_ratio, speeds[i] / fastest);
  }
  chosen.without_slow = chosen.slow > 0 && chosen.restarts.size() >= kLeastFast;
  if (chosen.slow > 0 && !chosen.without_slow) {
    chosen.restarts.clear();
    for (const Restart& one : all) chosen.restarts.push_back(&one);
  }
  if (method == Method::best) leave_far_out(chosen);
  return chosen;
}

bool more_wanted(const std::vector<Restart>& all, int tried, const Plan& plan) {
  if (tried < plan.restarts) return true;
  const Chosen chosen = choose(all, plan.method);
  const int left = static_cast<int>(all.size()) - chosen.slow - chosen.far;
  const bool left_out = chosen.slow + chosen.far > 0;
  return left_out && left < plan.restarts && tried < kMostRestarts * plan.restarts;
}

// The smallest step that showed in any restart: by chance one may show a multiple of it.
double step_of(const std::vector<const Restart*>& restarts) {
  double step = 0;
  for (const Restart* one : restarts) {
    if (one->step > 0 && (step == 0 || one->step < step)) step = one->step;
  }
  return step;
}

void estimate(Measurement& result, const Chosen& chosen, const std::vector<Restart>& all,
              Method method) {
  std::vector<double> figures;
  std::vector<double> clocks;
  std::vector<double> cycles;
  std::vector<double> sustained;
  for (const Restart* one : chosen.restarts) {
    figures.push_back(one->figure);
    if (!one->clock_hz) continue;  // its two chains disagreed
    clocks.push_back(*one->clock_hz);
    cycles.push_back(one->figure * *one->clock_hz);
  }
  for (const Restart& one : all) {
    if (one.sustained > 0) sustained.push_back(one.sustained);
  }
  const double step = step_of(chosen.restarts);
  result.time = as<Seconds>(estimate_of_restarts(figures, method, step));
  if (!sustained.empty()) {
    result.sustained = as<Seconds>(estimate_of_restarts(sustained, Method::median));
  }
  if (clocks.size() >= std::min(figures.size(), kLeastFast)) {
    result.clock = as<Hertz>(estimate_of_restarts(clocks, Method::median));
    result.cycles = estimate_of_restarts(cycles, method, step * median(clocks));
  }
}

Conditions conditions_of(const DeviceState& before, const DeviceState& after,
                         const Placement& placement, const std::vector<Restart>& restarts) {
  Conditions conditions = conditions_between(before, after, placement);
  std::vector<double> lost(placement.cpus.size(), 0.0);
  double ran = 0;
  for (const Restart& one : restarts) {
    ran += one.ran_s;
    for (std::size_t i = 0; i < std::min(lost.size(), one.lost_s.size()); ++i) {
      lost[i] += one.lost_s[i];
    }
    if (one.clock_ratio && *one.clock_ratio < conditions.clock_ratio.value_or(1)) {
      conditions.clock_ratio = one.clock_ratio;
    }
  }
  conditions.taken = taken_between(lost, ran, placement);
  return conditions;
}

void degrade(Measurement& result, Warning warning) {
  result.standing = worse(result.standing, Standing::degraded);
  result.warnings.push_back(std::move(warning));
}

// Lowers the standing for what the restarts, the conditions and the check say.
void judge(Measurement& result, const Chosen& chosen, const std::vector<Restart>& all) {
  for (Warning& disturbance : disturbances(result.conditions)) {
    if (disturbance.code != "clock" || chosen.slow == 0) degrade(result, std::move(disturbance));
  }
  if (chosen.slow > 0) {
    degrade(result,
            {"clock",
             format("in {} of {} restarts the clock was down to {} of the "
                    "fastest: {}",
                    chosen.slow, static_cast<int>(all.size()), show_percent(chosen.slow_ratio),
                    chosen.without_slow ? "the figure is that of the others"
                                        : "too few were faster, so the figure is that of all")});
  }
  if (chosen.far > 0) {
    result.warnings.push_back(
        {"slow_restart",
         format(
             "{} of {} restarts ran at {} of the others and are left out: nothing on this system "
             "took their CPU, another tenant of the host may have",
             chosen.far, static_cast<int>(all.size()), show_percent(chosen.far_ratio))});
  }
  const auto few = std::count_if(chosen.restarts.begin(), chosen.restarts.end(),
                                 [](const Restart* one) { return one->few_quiet; });
  if (few > 0) {
    degrade(result,
            {"few_quiet_windows",
             format("in {} of {} restarts too few windows were undisturbed: disturbed ones count",
                    static_cast<int>(few), static_cast<int>(chosen.restarts.size()))});
  }
  if (!result.check.passed) {
    result.standing = Standing::invalid;
    result.warnings.push_back({"wrong_result", result.check.complaint});
  }
}

// A measurement under way: a restart at a time.
class Course {
 public:
  Course(const Device& device, const Contestant& what, const Placement& placement, const Plan& plan)
      : device_(device), what_(what), placement_(placement), plan_(plan) {}

  bool wanted() const { return !ended_ && !failed_ && more_wanted(restarts_, tried_, plan_); }
  void step(const StopToken& stop, ProgressSink& progress);
  Result<Measurement> finish(const StopToken& stop) const;

 private:
  void keep(Restart one);

  const Device& device_;
  const Contestant& what_;
  const Placement& placement_;
  const Plan& plan_;
  std::vector<Restart> restarts_;  // those with a figure
  Check check_;                    // of the last one
  Shape executed_;
  int executions_ = 0;
  int tried_ = 0;
  bool ended_ = false;  // by a stop or a wrong result
  std::optional<Error> failed_;
  std::optional<DeviceState> before_;
  DeviceState after_;
};

void Course::step(const StopToken& stop, ProgressSink& progress) {
  if (!before_) before_ = after_ = what_.backend->state(device_, placement_);
  progress.step(format("{} by {}", what_.problem.spec->name, what_.variant.name),
                std::min(tried_, plan_.restarts - 1), plan_.restarts);
  Problem fresh = what_.problem;
  fresh.seed += static_cast<std::uint64_t>(tried_);
  ++tried_;
  auto one = restart(*what_.backend, device_, fresh, what_.variant, placement_, plan_, stop);
  const bool some = !restarts_.empty();
  if (!one) {
    ended_ = one.error().code == ErrorCode::interrupted && some;
    if (!ended_) failed_ = one.error();
  } else if (!one->complete && some) {
    ended_ = true;  // after a stop a half-sampled restart counts only where there is no whole one
  } else {
    keep(std::move(*one));
  }
}

void Course::keep(Restart one) {
  after_ = what_.backend->state(device_, placement_);
  one.clock_ratio = after_.clock_ratio;
  check_ = one.check;
  ended_ = !check_.passed;
  if (!(one.figure > 0)) return;
  if (restarts_.empty()) executed_ = one.executed;
  one.figure /= share_of_work(*what_.problem.spec, what_.problem.dtype, one.executed, executed_);
  executions_ += one.executions;
  restarts_.push_back(std::move(one));
}

Result<Measurement> Course::finish(const StopToken& stop) const {
  if (failed_) return fail(*failed_);
  if (restarts_.empty()) {
    if (stop.requested()) return fail({ErrorCode::interrupted, "stopped before a figure", "", ""});
    return failed("no window was seen in which all workers ran", what_.variant.name,
                  "try again on a quieter machine");
  }
  Measurement result;
  result.executed = executed_;
  result.executions = executions_;
  result.check = check_;
  const Chosen chosen = choose(restarts_, plan_.method);
  // A wrong result ends it too, and is no interruption.
  result.complete =
      !result.check.passed || (static_cast<int>(restarts_.size()) >= plan_.restarts &&
                               !more_wanted(restarts_, tried_, plan_) && result.check.done);
  estimate(result, chosen, restarts_, plan_.method);
  result.conditions = conditions_of(*before_, after_, placement_, restarts_);
  judge(result, chosen, restarts_);
  return result;
}

}  // namespace

std::vector<Result<Measurement>> measure_in_turns(const Device& device,
                                                  const std::vector<Contestant>& contestants,
                                                  const Placement& placement, const Plan& plan,
                                                  const StopToken& stop, ProgressSink& progress) {
  std::vector<Course> courses;
  for (const Contestant& one : contestants) courses.emplace_back(device, one, placement, plan);
  for (bool more = true; more;) {
    more = false;
    for (Course& course : courses) {
      if (stop.requested() || !course.wanted()) continue;
      course.step(stop, progress);
      more = true;
    }
  }
  std::vector<Result<Measurement>> results;
  for (const Course& course : courses) results.push_back(course.finish(stop));
  return results;
}

Result<Measurement> measure(Backend& backend, const Device& device, const Problem& problem,
                            const Variant& variant, const Placement& placement, const Plan& plan,
                            const StopToken& stop, ProgressSink& progress) {
  return std::move(
      measure_in_turns(device, {{&backend, problem, variant}}, placement, plan, stop, progress)
          .front());
}

}  // namespace roofbeam
