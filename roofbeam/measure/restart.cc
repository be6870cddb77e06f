// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/restart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "roofbeam/measure/conditions.h"
#include "roofbeam/measure/windows.h"
#include "roofbeam/stats/robust.h"

namespace roofbeam {
namespace {

constexpr int kMostRepeats = 1 << 20;
// A ceiling is the border of the fastest tenth of the windows: the very fastest grows with their
// number and with the clock's grain.
constexpr double kBestQuantile = 0.1;
constexpr int kQuietWindows = 20;  // with fewer, the fastest tenth is one or two
// A scheduler hands a CPU out for some milliseconds: windows this short fall between two turns, and
// waiting for undisturbed ones is worth up to so many budgets.
constexpr double kShortWindow = 4e-3;
constexpr double kPatience = 10;
// Of a figure: a clock with coarser steps does not measure it.
constexpr double kCoarsestStep = 0.1;
constexpr double kMostEmpty = 0.1;  // of the windows

int repeats_for(Seconds wanted, double one) {
  if (!(one > 0)) return kMostRepeats;
  return static_cast<int>(std::clamp(std::ceil(wanted.value() / one), 1.0, double(kMostRepeats)));
}

tl::unexpected<Error> too_coarse(std::string what) {
  return failed(std::move(what), "", "the clock is too coarse for this size: try a larger one");
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

class Sampler {
 public:
  Sampler(Kernel& kernel, const Plan& plan, const StopToken& stop)
      : kernel_(kernel), plan_(plan), stop_(stop) {}

  // Runs until `plan.warm_up` is over.
  Status warm_up();
  // Runs until there are enough windows.
  Status sample();
  // Runs for so long; seconds per execution, 0 where that failed.
  double run_on(Seconds time);
  // Errors: a clock too coarse for what was seen.
  Status tell(Restart& restart) const;
  void account(Restart& restart) const {
    restart.lost_s = lost_s_;
    restart.ran_s = ran_s_;
  }

 private:
  Result<Spans> run(int repeats);
  bool done(double spent) const;
  int wanted() const;

  Kernel& kernel_;
  const Plan& plan_;
  const StopToken& stop_;
  double one_ = 0;  // about how long an execution takes
  WindowTimes times_;
  Spans seen_;
  std::vector<double> clocks_;
  std::vector<double> lost_s_;
  double ran_s_ = 0;
  double last_s_ = 0;  // of the last run
  bool complete_ = true;
};

Result<Spans> Sampler::run(int repeats) {
  auto spans = kernel_.run(repeats, stop_);
  if (!spans) return spans;
  const Span whole = extent(*spans);
  last_s_ = std::max(1e-9, 1e-9 * static_cast<double>(whole.end_ns - whole.start_ns));
  ran_s_ += last_s_;
  if (lost_s_.size() < spans->lost_s.size()) lost_s_.resize(spans->lost_s.size(), 0.0);
  for (std::size_t i = 0; i < spans->lost_s.size(); ++i) lost_s_[i] += spans->lost_s[i];
  return spans;
}

Status Sampler::warm_up() {
  double spent = 0;
  int repeats = 1;
  do {
    auto spans = run(repeats);
    if (!spans) return fail(spans.error());
    one_ = sustained_time(*spans);
    if (stop_.requested()) {
      return fail({ErrorCode::interrupted, "stopped before a figure", "", ""});
    }
    if (!(one_ > 0)) return too_coarse("an execution took no time, so nothing can be measured");
    spent += last_s_;
    repeats = std::min(repeats * 4, repeats_for(plan_.warm_up, one_));
  } while (spent < plan_.warm_up.value());
  return {};
}

// How many undisturbed windows a figure should stand on: as many as the budget has room for.
int Sampler::wanted() const {
  const double room = std::min(plan_.stopping.budget.value() / one_, double(kQuietWindows));
  const int wanted = std::max(plan_.stopping.at_least, static_cast<int>(room));
  return std::min(wanted, plan_.stopping.at_most);
}

bool Sampler::done(double spent) const {
  const StoppingRule& rule = plan_.stopping;
  const int windows = static_cast<int>(times_.all.size());
  if (windows >= rule.at_most) return true;
  if (static_cast<int>(times_.quiet.size()) >= wanted()) {
    return enough(rule, times_.quiet, Seconds(spent));
  }
  const double patience = one_ <= kShortWindow ? kPatience : 1;
  return spent >= patience * rule.budget.value() && (windows >= rule.at_least || windows == 0);
}

Status Sampler::sample() {
  const int repeats = repeats_for(plan_.batch, one_);
  double spent = 0;
  do {
    auto spans = run(repeats);
    if (!spans && spans.error().code == ErrorCode::interrupted && !times_.all.empty()) {
      complete_ = false;  // a library's worker is gone, but not what it said before
      return {};
    }
    if (!spans) return fail(spans.error());
    const WindowTimes times = window_times(*spans);
    append(times_.all, times.all);
    append(times_.quiet, times.quiet);
    times_.empty += times.empty;
    if (times_.empty > kMostEmpty * static_cast<double>(times_.empty + times_.all.size())) {
      return too_coarse("executions took no time, so nothing can be measured");
    }
    append(clocks_, spans->clock_hz);
    append(seen_.workers, spans->workers);
    spent += last_s_;
    if (stop_.requested()) {
      complete_ = false;
      return {};
    }
  } while (!done(spent));
  return {};
}

double Sampler::run_on(Seconds time) {
  auto spans = run(repeats_for(time, one_));
  return spans ? sustained_time(*spans) : 0;
}

Status Sampler::tell(Restart& restart) const {
  restart.complete = complete_;
  restart.executions = static_cast<int>(times_.all.size());
  if (!clocks_.empty()) restart.clock_hz = median(clocks_);
  if (times_.all.empty()) return {};
  const int quiet = static_cast<int>(times_.quiet.size());
  const bool few = quiet < wanted() && 2 * quiet < restart.executions;
  // A long window hardly ever passes without an interruption, which costs next to nothing of it.
  restart.few_quiet = few && (one_ <= kShortWindow || most_lost(lost_s_, ran_s_) > kTakenShare);
  const std::vector<double>& times = few ? times_.all : times_.quiet;
  restart.figure = plan_.method == Method::best ? quantile(times, kBestQuantile) : median(times);
  restart.step = clock_step(seen_);
  if (restart.step > kCoarsestStep * restart.figure) {
    return too_coarse("the clock goes in steps as long as an execution");
  }
  return {};
}

}  // namespace

Result<Restart> restart(Backend& backend, const Device& device, const Problem& problem,
                        const Variant& variant, const Placement& placement, const Plan& plan,
                        const StopToken& stop) {
  auto kernel = backend.prepare(device, problem, variant, placement, stop);
  if (!kernel) return fail(kernel.error());
  Sampler sampler(**kernel, plan, stop);
  if (auto warm = sampler.warm_up(); !warm) return fail(warm.error());
  if (auto sampled = sampler.sample(); !sampled) return fail(sampled.error());
  Restart result;
  result.executed = (*kernel)->executed_shape();
  if (auto told = sampler.tell(result); !told) return fail(told.error());
  if (!result.complete) {
    result.check = {true, false, "not checked: it was stopped", 0, ""};
    sampler.account(result);
    return result;
  }
  auto check = (*kernel)->check(stop);
  if (!check) return fail(check.error());
  result.check = *check;
  if (plan.sustained > Seconds(0) && !stop.requested()) {
    result.sustained = sampler.run_on(plan.sustained / plan.restarts);
  }
  sampler.account(result);
  return result;
}

}  // namespace roofbeam
