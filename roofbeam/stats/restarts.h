// SPDX-License-Identifier: Apache-2.0
// From independent re-initialisations (new pages, new workers) to an estimate of what another run
// of the same command will report.
#pragma once

#include <vector>

#include "roofbeam/stats/estimate.h"

namespace roofbeam {

// `restarts` holds one positive figure per re-initialisation. The value is their median. The
// interval is the 95 % prediction interval for one more re-initialisation, on the logarithm
// (figures scale): median · exp(± t(0.975, n−1) · s · sqrt(1 + 1/n)). A whole new run reports the
// median of n of them, which scatters less unless whole runs differ from each other, which this
// leaves room for. One figure alone gives low = high and samples = 1: it has no interval, and
// callers must say so.
Estimate<double> estimate_of_restarts(const std::vector<double>& restarts, Method method);

}  // namespace roofbeam
