// SPDX-License-Identifier: Apache-2.0
// From a bound and an observation to a verdict without remedies. Pure.
#pragma once

#include <string>

#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

// Under this share of the bound no ceiling is reached and something else holds the work back.
constexpr double kReachedShare = 0.5;

// `bound` says how short the time could be at the ceilings, `observed` what it was, `disturbances`
// what else went on meanwhile (measure/conditions.h).
// - At or above kReachedShare of the bound, the ceiling that holds most of the time binds; those
//   that cannot be told from it are named. Below, bound_by is none_reached. Where something
//   disturbed the run it may be that, and not the work: then it is cannot_tell, and a quiet run
//   would tell.
// - Faster than its arithmetic allows, by more than both intervals explain: a promise is broken.
// The
//   warning `above_ceiling` says so, the standing is invalid and the cause cannot_tell: the probe
//   must be run again.
// - Faster than its bytes can come from a memory: some were served from a cache. That is no error;
//   the charge is left out of the breakdown, or shortened to what there was time for where nothing
//   else would explain the time, and a sentence says so. Not so of `inevitable`, the ceiling of
//   a memory that all bytes pass: faster than that is above a ceiling too. Empty: there is none.
Verdict judge(const Breakdown& bound, const Estimate<Seconds>& observed,
              const Warnings& disturbances = {}, const std::string& inevitable = "");

}  // namespace roofbeam
