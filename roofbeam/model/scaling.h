// SPDX-License-Identifier: Apache-2.0
// How time and speed-up follow from the number of workers. Pure.
#pragma once

#include <optional>

#include "roofbeam/breakdown/breakdown.h"

namespace roofbeam {

// Amdahl 1967: T(N) = T(1) · ((1 − p) + p/N) for a fixed problem, as sum(serial, parallel/N) of one
// second. p in [0, 1] is the parallel share of the time on one worker; N >= 1.
Breakdown amdahl_breakdown(double p, double n);
// T(1) ÷ T(N) of that tree.
double amdahl_speedup(double p, double n);
// 1 ÷ (1 − p): the speed-up no number of workers passes; absent for p = 1.
std::optional<double> amdahl_limit(double p);
// Gustafson 1988: p is the parallel share of the time *on N workers*, and the problem grows with N:
// S = (1 − p) + p·N. Not comparable with Amdahl's p. It has no limit.
double gustafson_speedup(double p, double n);

}  // namespace roofbeam
