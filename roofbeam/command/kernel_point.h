// SPDX-License-Identifier: Apache-2.0
// One kernel of the table of `roofline`: predicted from the ceilings, then measured, then placed.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/command/kernel_rows.h"
#include "roofbeam/command/placing.h"
#include "roofbeam/command/session.h"

namespace roofbeam {

// A case with its size settled, its way chosen and its time predicted: all but measured.
struct Prepared {
  KernelCase kernel;
  Way way;
  Placed expected;
};

// How long one execution is made: so many passes over the data that the prediction says this.
constexpr Seconds kExecution{0.3e-3};

// Chooses passes and way, and predicts. Nothing of the kernel is run but a library's trial, where
// several could compute it. Error: nothing here computes it, or what place_operation fails with.
Result<Prepared> prepare_point(Session& session, const KnownCeilings& known, KernelCase kernel,
                               const Caller& caller);

// Measures it and places it. A point above its ceiling makes the ceilings it stands under be
// measured again, once; if it still lies above it stays so (standing invalid).
Result<Placed> measure_point(Session& session, KnownCeilings& known, const Prepared& prepared,
                             const DeviceOptions& options, const Caller& caller);

// What all these cases look up.
std::set<std::string> ceilings_wanted(const std::vector<KernelCase>& cases,
                                      const DeviceProfile& profile, int workers);

}  // namespace roofbeam
