// SPDX-License-Identifier: Apache-2.0
// One kernel of the table of `roofline`: predicted from the ceilings, then measured, then placed.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/command/kernel_rows.h"
#include "roofbeam/command/placing.h"
#include "roofbeam/command/session.h"

namespace roofbeam {

// A case with its size settled and its time predicted: all but measured.
struct Prepared {
  KernelCase kernel;
  Placed expected;
};

// How long one execution is made: so many passes over the data that the prediction says this.
constexpr Seconds kExecution{0.3e-3};

// Chooses passes and predicts: from the ceilings alone, nothing is run. Error: nothing here
// computes it, or what place_operation fails with.
Result<Prepared> prepare_point(Session& session, const KnownCeilings& known, KernelCase kernel);

// Of these ceilings those of a memory that drifts: what other machines leave of a shared memory
// changes within seconds, so they are measured again before they are predicted from.
std::set<std::string> drifting(const std::set<std::string>& ceilings);

// Measures it and places it. Beside something else it is measured again, `tries` times in all. A
// point above its ceiling makes the ceilings it stands under be measured again, up to kTries times;
// if it still lies above it stays so: invalid, or degraded where the memory is one that others
// share.
constexpr int kTries = 3;
Result<Placed> measure_point(Session& session, KnownCeilings& known, const Prepared& prepared,
                             const DeviceOptions& options, const Caller& caller,
                             int tries = kTries);

// What all these cases look up.
std::set<std::string> ceilings_wanted(const std::vector<KernelCase>& cases,
                                      const DeviceProfile& profile, int workers);

}  // namespace roofbeam
