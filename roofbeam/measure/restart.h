// SPDX-License-Identifier: Apache-2.0
// One re-initialisation: a problem made ready anew, warmed up, sampled until its figure is narrow,
// and checked.
#pragma once

#include <optional>
#include <vector>

#include "roofbeam/measure/runner.h"

namespace roofbeam {

struct Restart {
  double figure = 0;   // seconds per execution; 0 where no window was seen
  double step = 0;     // of the clock, in seconds; 0 where it did not show
  int executions = 0;  // windows timed
  // Too few windows were undisturbed to take the figure from: it is that of all.
  bool few_quiet = false;
  bool complete = true;  // false after a stop
  Shape executed;
  Check check;
  double sustained = 0;               // seconds per execution without a pause; 0 where not run
  std::optional<double> clock_hz;     // the median over workers and batches
  std::optional<double> clock_ratio;  // what the device said of it at the end
  std::vector<double> lost_s;         // of each worker, over all that was run; empty where unknown
  double ran_s = 0;                   // how long all that was run took
};

Result<Restart> restart(Backend& backend, const Device& device, const Problem& problem,
                        const Variant& variant, const Placement& placement, const Plan& plan,
                        const StopToken& stop);

}  // namespace roofbeam
