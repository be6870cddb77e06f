// SPDX-License-Identifier: Apache-2.0
// Measures one problem computed one way on one device: warm up, sample, stop, check, note
// conditions. Reads no clock of its own: all time comes from the spans, so that a fake machine
// decides it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/backend/backend.h"
#include "roofbeam/base/progress.h"
#include "roofbeam/base/standing.h"
#include "roofbeam/profile/machine_profile.h"
#include "roofbeam/stats/estimate.h"
#include "roofbeam/stats/stopping.h"

namespace roofbeam {

struct Plan {
  // best: of each restart the fastest tenth's border (a ceiling); median: the middle (work).
  Method method = Method::median;
  // Re-initialisations: new pages, new workers. Five is where the interval is less than twice as
  // wide as if the noise were known; each more costs as long again (docs/methods/intervals.md).
  int restarts = 5;
  Seconds warm_up{0.02};  // of executions thrown away in each restart, at least one execution
  Seconds batch{0.01};    // executions are asked for in batches of about this long
  StoppingRule stopping;  // within one restart
  Seconds sustained{0};   // of running without a pause, over all restarts; 0 leaves it out
};

struct Measurement {
  Estimate<Seconds> time;                      // of one execution
  std::optional<Estimate<Seconds>> sustained;  // the same without a pause, a part in each restart
  // The clock of a worker, and how many of its cycles an execution takes: both of each restart, so
  // that what a restart's clock does to its time is not in the cycles. Absent where not known.
  std::optional<Estimate<Hertz>> clock;
  std::optional<Estimate<double>> cycles;
  // What an execution of the first restart really was; times of restarts that executed more or less
  // of the problem are scaled to it by their work.
  Shape executed;
  int executions = 0;  // timed ones, disturbed ones among them
  Check check;
  Conditions conditions;
  Standing standing = Standing::usable;
  Warnings warnings;  // what lowers the standing, and why
  // False after a stop: `time` stands on the restarts that were finished, or on what there is of
  // the first one.
  bool complete = true;

  bool operator==(const Measurement&) const = default;
};

// Every restart has operands of its own (another seed) and is checked; `progress` is told of each.
// Its figure is that of undisturbed windows. Where too few are seen in ten times the budget it is
// that of all (warning few_quiet_windows).
// Restarts whose clock ran below 97 % of the fastest's are no part of the estimates and are made up
// for by others, up to three times `restarts` in all (warning clock). Where fewer than three ran at
// the fast clock, all count.
// Of method best, restarts that are far slower than the others are left out and made up for in the
// same way (warning slow_restart, which lowers no standing).
// Errors: what prepare and run report; a clock too coarse for the windows; a result that fails its
// check is a Measurement with standing invalid; a stop before the first restart is finished is
// ErrorCode::interrupted.
Result<Measurement> measure(Backend& backend, const Device& device, const Problem& problem,
                            const Variant& variant, const Placement& placement, const Plan& plan,
                            const StopToken& stop, ProgressSink& progress);

struct Contestant {
  Backend* backend = nullptr;
  Problem problem;
  Variant variant;
};

// Several in turns, a restart of each after the other, so that what drifts meanwhile is in all of
// them alike. As many results, each as `measure` gives it; one that fails ends for itself.
std::vector<Result<Measurement>> measure_in_turns(const Device& device,
                                                  const std::vector<Contestant>& contestants,
                                                  const Placement& placement, const Plan& plan,
                                                  const StopToken& stop, ProgressSink& progress);

}  // namespace roofbeam
