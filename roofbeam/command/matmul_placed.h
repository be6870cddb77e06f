// SPDX-License-Identifier: Apache-2.0
// Measured products under a device's ceilings: one answer for one or several of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/command/session.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/workload/workload.h"

namespace roofbeam {

// What was measured, on its own: everything before ceilings come into it.
struct Run {
  Problem problem;
  Way way;
  int threads = 1;
  Measurement measured;
};

Operation operation_of(const Problem& problem);

// "n = 64, 2 threads, onednn": what tells `run` from the others; empty where nothing does.
std::string label_of(const Run& run, const std::vector<Run>& runs);

// The points, and the verdict of runs[judged]. A point above its ceiling never raises it: the
// ceilings are probed again, and if it is still above, the answer is invalid and says so. Ceilings
// from `where.profile` are taken as they are.
Result<MatmulAnswer> placed(const std::vector<Run>& runs, std::size_t judged, Session& session,
                            const DeviceOptions& where, const KnownCeilings& known,
                            const Caller& caller);

}  // namespace roofbeam
