// SPDX-License-Identifier: Apache-2.0
// The arithmetic probes as a job: every worker runs its own chains.
#pragma once

#include <memory>

#include "roofbeam/backend/cpu/chain.h"
#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

// problem.shape.n flops over all workers, rounded down to whole pairs of steps, at least one
// (executed_shape says to what).
std::unique_ptr<Job> make_chain_job(const ChainKernel& kernel, const Problem& problem, int workers);

}  // namespace roofbeam
