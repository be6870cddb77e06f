// SPDX-License-Identifier: Apache-2.0
// A matrix times a few vectors as a job: every worker has its own rows of the weights, on pages it
// touched first, and a copy of the vectors.
#pragma once

#include <memory>

#include "roofbeam/backend/cpu/gemv.h"
#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

// shape.n rows are shared out evenly, at least one for each worker; executed_shape says how many
// they are then.
std::unique_ptr<Job> make_gemv_job(GemvBlock block, const Problem& problem, int workers);

}  // namespace roofbeam
