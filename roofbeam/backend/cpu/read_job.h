// SPDX-License-Identifier: Apache-2.0
// The read probe as a job: every worker reads its own part of the array, on pages it touched first.
#pragma once

#include <memory>

#include "roofbeam/backend/cpu/job.h"
#include "roofbeam/backend/cpu/read.h"

namespace roofbeam {

// An execution reads the next shape.n elements of an array of shape.m · shape.n, round and round.
std::unique_ptr<Job> make_read_job(ReadBlock block, const Problem& problem, int workers);

}  // namespace roofbeam
