// SPDX-License-Identifier: Apache-2.0
// From independent re-initialisations (new pages, new workers) to an estimate of what another run
// of the same command will report.
#pragma once

#include <vector>

#include "roofbeam/stats/estimate.h"

namespace roofbeam {

// `restarts` holds one positive figure per re-initialisation. The value is their median. The
// interval is that of the median of as many others, on the logarithm (figures scale): median ·
// exp(± K(n) · s), K of stats/next_run.h, and `step` more on either side: what a figure can differ
// by although the time did not, because the clock goes in steps. One figure alone gives low = high
// and samples = 1: it has no interval, and callers must say so.
Estimate<double> estimate_of_restarts(const std::vector<double>& restarts, Method method,
                                      double step = 0);

}  // namespace roofbeam
