// SPDX-License-Identifier: Apache-2.0
// Kernels that take a grid row by row, as a job: every worker has a grid of its own, on pages it
// touched first.
#pragma once

#include <memory>

#include "roofbeam/backend/cpu/grid.h"
#include "roofbeam/backend/cpu/job.h"

namespace roofbeam {

// shape.m rows are shared out evenly, at least one for each worker; executed_shape says how many
// they are then. shape.n columns, all of it shape.repeats times an execution.
std::unique_ptr<Job> make_grid_job(GridBlock block, const Problem& problem, int workers);

}  // namespace roofbeam
